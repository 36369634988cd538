#include "emulator/cosim/job.h"

#include "catch.h"

using namespace platter::emulator;
using namespace std::string_literals;

TEST_CASE("A job's file holds every word as it is") {
  Job job;
  job.command = {"/bin/echo", "", "two words", "\xff\n\"'"};
  job.variables = {"A=1", "B="};
  job.folder = "/some where";
  job.input = "/dev/null";
  job.shares = {"/a", "/b"};
  CHECK(job_file(job) ==
        "d/some where\0i/dev/null\0s/a\0s/b\0eA=1\0eB=\0a/bin/echo\0a\0atwo words\0a\xff\n\"'\0"s);
  job.merged_output = true;
  CHECK(job_file(job).find("i/dev/null\0m\0s/a"s) != std::string::npos);
}

TEST_CASE("Root's programs are found, behind those that the user would get") {
  const auto variables = [](std::vector<const char*> environment) {
    environment.push_back(nullptr);
    return variables_for_root(const_cast<char**>(environment.data()));
  };
  using Variables = std::vector<std::string>;
  CHECK(variables({"A=1", "PATH=/home/u/bin:/usr/bin"}) ==
        Variables{"A=1", "PATH=/home/u/bin:/usr/bin:/usr/local/sbin:/usr/sbin:/sbin"});
  CHECK(variables({"PATH=/usr/sbin:/sbin:/usr/local/sbin"}) ==
        Variables{"PATH=/usr/sbin:/sbin:/usr/local/sbin"});
  CHECK(variables({"PATH=/usr/sbin2"}).front() ==
        "PATH=/usr/sbin2:/usr/local/sbin:/usr/sbin:/sbin");
  CHECK(variables({"PATHS=/x"}).size() == 2);
}
