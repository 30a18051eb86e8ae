#pragma once

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <set>
#include <sstream>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>

#include <nlohmann/json.hpp>

#include "base/atomic_file.h"
#include "support.h"

namespace selvage {

using Json = nlohmann::json;
using Arguments = std::vector<std::string>;

struct Outcome {
    int code = -1; ///< Exit code; -1 when a signal ended the program.
    int signal = 0;
    std::string out, err;
};

inline std::string read_all(const std::filesystem::path& path) {
    const Result<std::string> content = read_file(path);
    EXPECT_TRUE(content) << (content ? "" : content.error().text());
    return content ? *content : "";
}

inline std::set<std::string> keys(const Json& object) {
    std::set<std::string> names;
    for (const auto& [key, unused] : object.items())
        names.insert(key);
    return names;
}

inline std::string shown(const Arguments& arguments) {
    std::string text = "selvage";
    for (const std::string& argument : arguments)
        text += " " + argument;
    return text;
}

/// Runs the program inside a folder of its own; what it prints goes to files beside that folder.
class Program : public TestFolder {
protected:
    void SetUp() override {
        TestFolder::SetUp();
        out_ = folder_.string() + ".out";
        err_ = folder_.string() + ".err";
    }
    void TearDown() override {
        std::filesystem::remove(out_);
        std::filesystem::remove(err_);
        TestFolder::TearDown();
    }

    pid_t start(const Arguments& arguments, const std::string& out, rlim_t memory = 0) const {
        std::vector<char*> argv;
        std::string name = "selvage";
        argv.push_back(name.data());
        Arguments copy = arguments;
        for (std::string& argument : copy)
            argv.push_back(argument.data());
        argv.push_back(nullptr);
        const pid_t child = fork();
        if (child != 0) return child;
        const int out_file = open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
        const int err_file = open(err_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
        dup2(out_file, STDOUT_FILENO);
        dup2(err_file, STDERR_FILENO);
        if (memory > 0) {
            const rlimit limit{memory, memory};
            setrlimit(RLIMIT_AS, &limit);
        }
        if (chdir(folder_.c_str()) == 0) execv(SELVAGE_PROGRAM, argv.data());
        _exit(127);
    }

    Outcome finish(pid_t child, const std::string& out) const {
        int status = 0;
        waitpid(child, &status, 0);
        Outcome outcome;
        if (WIFEXITED(status)) outcome.code = WEXITSTATUS(status);
        if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
        if (out == out_) outcome.out = read_all(out_);
        outcome.err = read_all(err_);
        return outcome;
    }

    Outcome run(const Arguments& arguments) const { return finish(start(arguments, out_), out_); }

    /// Runs and expects the exit code.
    Outcome expect(int code, const Arguments& arguments) const {
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, code) << shown(arguments) << "\nsignal " << outcome.signal << "\n" << outcome.err;
        return outcome;
    }
    /// Expects the code, and a part of the text on stderr.
    void expect_error(int code, const std::string& text, const Arguments& arguments) const {
        const Outcome outcome = expect(code, arguments);
        EXPECT_NE(outcome.err.find(text), std::string::npos)
            << shown(arguments) << "\nsaid: " << outcome.err << "wanted: " << text;
    }

    std::string hash_of(const Arguments& arguments) const {
        Arguments all = arguments;
        all.insert(all.end(), {"--quiet", "--report", "hash.json"});
        expect(0, all);
        const std::string hash = Json::parse(read_all(file("hash.json")))["state_hash"];
        std::filesystem::remove(file("hash.json"));
        return hash;
    }

    std::set<std::string> names() const {
        const std::vector<std::string> all = files();
        return {all.begin(), all.end()};
    }

    /// Waits until `ready`; gives up after a minute, which only a hung program takes.
    template <class Ready>
    bool wait_until(const Ready& ready) const {
        for (int i = 0; i < 6000; ++i) {
            if (ready()) return true;
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        return false;
    }

    /// Solver steps done when the checkpoint was made: the fifth word of its header. -1 when there is none.
    std::int64_t checkpoint_steps(const std::string& name) const {
        std::ifstream in(file(name), std::ios::binary);
        std::int64_t header[8] = {};
        if (!in.read(reinterpret_cast<char*>(header), sizeof header)) return -1;
        return header[4];
    }

    std::string out_, err_;
};

/// Twenty-five mass points for a tenth of a second.
inline Arguments small_run(const Arguments& more = {}) {
    Arguments all = {"run", "corner-hang", "--set", "/cloths/0/mesh/grid/vertices=[5,5]", "--seconds", "0.1"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

inline std::uint32_t word_at(const std::string& bytes, std::size_t offset, bool big_endian = false) {
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < 4; ++i)
        word |= std::uint32_t{static_cast<unsigned char>(bytes.at(offset + i))} << 8 * (big_endian ? 3 - i : i);
    return word;
}

} // namespace selvage
