// Programs of others: the browser of the desktop, headless Chromium, ffmpeg. They are found on the PATH and run without
// a shell, so that no name of a file is taken for a command.
#define _POSIX_C_SOURCE 200809L
#include "browser.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"
#include "report.h"
#include "terminal.h"

// The first of some programs that is on the PATH, into path; NULL: none is.
const char *cli_find_program(char *path, size_t size, const char *const *names) {
  const char *list = getenv("PATH");
  for (; *names; names++)
    for (const char *folder = list ? list : "/usr/bin:/bin"; *folder;) {
      const int length = (int)strcspn(folder, ":");
      snprintf(path, size, "%.*s/%s", length, folder, *names);
      if (access(path, X_OK) == 0)
        return path;
      folder += length + (folder[length] == ':');
    }
  return NULL;
}

static void child(const char *const *argv, const char *output) {
  const int nothing = open("/dev/null", O_RDWR);
  const int out = output ? open(output, O_WRONLY | O_CREAT | O_TRUNC, 0600) : nothing;
  if (nothing < 0 || out < 0 || dup2(nothing, 0) < 0 || dup2(out, 1) < 0 || dup2(nothing, 2) < 0)
    _exit(127);
  setpgid(0, 0); // it may have children of its own
  execv(argv[0], (char *const *)argv);
  _exit(127);
}

int cli_run_program(const char *const *argv, const char *output, double seconds) {
  const double started = cli_seconds();
  int status = 0;
  fflush(NULL);
  const pid_t id = fork();
  if (id == 0)
    child(argv, output);
  if (id < 0)
    return -1;
  while (waitpid(id, &status, WNOHANG) == 0) {
    if (cli_interrupted() || cli_seconds() - started > seconds) {
      kill(-id, SIGKILL);
      waitpid(id, &status, 0);
      return -1;
    }
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool cli_scratch_make(char *path, size_t size) {
  const char *where = getenv("TMPDIR");
  snprintf(path, size, "%s/flyball-XXXXXX", where && *where ? where : "/tmp");
  return mkdtemp(path) != NULL;
}

void cli_scratch_remove(const char *path) {
  static const char *const names[] = {"rm", NULL};
  char rm[1000];
  if (!cli_find_program(rm, sizeof rm, names))
    snprintf(rm, sizeof rm, "/bin/rm");
  cli_run_program((const char *const[]){rm, "-rf", "--", path, NULL}, NULL, 60);
}

int cli_open_in_browser(const char *file) {
  static const char *const openers[] = {"xdg-open", "open", NULL};
  char path[1000];
  if (!cli_find_program(path, sizeof path, openers)) {
    cli_message("there is no xdg-open here to show %s with; open it in a browser.", file);
    return CLI_FAILED;
  }
  const char *const argv[] = {path, file, NULL};
  if (cli_run_program(argv, NULL, 60) == 0)
    return CLI_DONE;
  cli_message("%s could not show %s; open it in a browser.", path, file);
  return CLI_FAILED;
}
