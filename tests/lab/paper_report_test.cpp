#include "lab/papers/report.h"

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

namespace selvage {
namespace {

class TwoItems : PaperReport {
public:
    explicit TwoItems(const std::filesystem::path& folder) : PaperReport(folder, "test", true) {}

    Status run() {
        if (Status ok = open(); !ok) return ok;
        text_ = "# A paper\n\nHow it is made.\n\n## Fig. 1\n\nText.\n";
        item("fig. 1", "yes", "3", "4", "");
        item("fig. 2", "no", "", "5, 6", "not made");
        return close();
    }
};

std::string text_of(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

TEST(PaperReport, OpensWithWhatIsReproduced) {
    const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "paper-report";
    ASSERT_TRUE(TwoItems(folder).run());
    EXPECT_EQ(text_of(folder / "report.md"), "# A paper\n\nHow it is made.\n\n## Item by item\n\n"
                                             "| item | reproduced | ours | the print's | why they differ |\n"
                                             "|---|---|---|---|---|\n| fig. 1 | yes | 3 | 4 |  |\n"
                                             "| fig. 2 | no |  | 5, 6 | not made |\n\n## Fig. 1\n\nText.\n");
    EXPECT_EQ(text_of(folder / "items.csv"), "item,reproduced,ours,the print's,why they differ\nfig. 1,yes,3,4,\n"
                                             "fig. 2,no,,\"5, 6\",not made\n");
    std::filesystem::remove_all(folder);
}

} // namespace
} // namespace selvage
