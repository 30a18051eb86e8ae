#include "base/atomic_file.h"

#include <fstream>
#include <set>

#include "support.h"

namespace selvage {
namespace {

class AtomicFileTest : public TestFolder {};

TEST_F(AtomicFileTest, AppearsOnlyWhenCommitted) {
    Result<AtomicFile> file = AtomicFile::create(this->file("a.txt"));
    ASSERT_TRUE(file);
    file->write("hello");
    EXPECT_FALSE(std::filesystem::exists(this->file("a.txt")));
    ASSERT_TRUE(file->commit());
    EXPECT_EQ(*read_file(this->file("a.txt")), "hello");
    EXPECT_EQ(files().size(), 1u);
}

TEST_F(AtomicFileTest, LeavesTheOldFileAndNoRestWhenDropped) {
    ASSERT_TRUE(write_file(file("a.txt"), "old"));
    {
        Result<AtomicFile> half = AtomicFile::create(file("a.txt"));
        ASSERT_TRUE(half);
        half->write("new");
    }
    EXPECT_EQ(*read_file(file("a.txt")), "old");
    EXPECT_EQ(files().size(), 1u);
}

TEST_F(AtomicFileTest, RemovesWhatKilledProgramsLeftAndNothingElse) {
    const std::set<std::string> foreign = {"a.txt.part", "a.txt.7x.part", "b.txt.7-1.part", "a.txt"};
    for (const std::string& name : foreign)
        ASSERT_TRUE(write_file(file(name), "mine"));
    for (const char* left : {"a.txt.7-1.part", "a.txt.99999999.part"})
        std::ofstream(file(left)) << "half";
    Result<AtomicFile> running = AtomicFile::create(file("a.txt")); // as another program would have it open
    ASSERT_TRUE(running);
    remove_abandoned(file("a.txt"));
    running->write("new");
    ASSERT_TRUE(running->commit());
    EXPECT_EQ(*read_file(file("a.txt")), "new");
    const std::vector<std::string> found = files();
    EXPECT_EQ(std::set<std::string>(found.begin(), found.end()), foreign);
}

TEST_F(AtomicFileTest, OverwritesAnEarlierPlace) {
    Result<AtomicFile> file = AtomicFile::create(this->file("a.bin"));
    ASSERT_TRUE(file);
    file->write("____body");
    file->write_at(0, "head", 4);
    file->write("tail");
    ASSERT_TRUE(file->commit());
    EXPECT_EQ(*read_file(this->file("a.bin")), "headbodytail");
}

TEST_F(AtomicFileTest, ReportsAFullDisk) {
    if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
    const Status status = write_file("/dev/full", std::string(1 << 20, 'x'));
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().kind, ErrorKind::io);
    EXPECT_NE(status.error().text().find("No space left"), std::string::npos) << status.error().text();
}

TEST_F(AtomicFileTest, RefusesFoldersAndPlacesThatAreNotThere) {
    EXPECT_EQ(write_file(folder_, "x").error().kind, ErrorKind::io);
    const Status missing = write_file(file("no/such/place.txt"), "x");
    ASSERT_FALSE(missing);
    EXPECT_NE(missing.error().text().find("No such file or directory"), std::string::npos);
    EXPECT_NE(missing.error().text().find("place.txt"), std::string::npos);
    EXPECT_FALSE(AtomicFile::create(""));
}

TEST_F(AtomicFileTest, ReadsWholeFilesAndNamesWhatIsMissing) {
    EXPECT_NE(read_file(file("none")).error().text().find("no such file"), std::string::npos);
    EXPECT_NE(read_file(folder_).error().text().find("is a directory"), std::string::npos);
    ASSERT_TRUE(write_file(file("big"), "12345"));
    EXPECT_NE(read_file(file("big"), 4).error().text().find("5 bytes; expected at most 4"), std::string::npos);
}

} // namespace
} // namespace selvage
