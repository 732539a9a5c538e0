// flyball render: pictures and films of a result, drawn by the page itself in a browser without a window.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "browser.h"
#include "cli.h"
#include "flyball/report.h"
#include "flyball/result.h"
#include "options.h"
#include "terminal.h"

typedef struct settings {
  const char *out, *size, *view, *show, *plot, *tab;
  double time, fps, seconds;
  int theme;
  bool page;
} settings;

static const cli_option options[] = {
    {"out", CLI_TEXT, offsetof(settings, out), "FILE", NULL,
     "FILE.png: a picture; FILE.mp4, FILE.webm: a film of the whole run"},
    {"time", CLI_NUMBER, offsetof(settings, time), "T", NULL, "picture: of this time [s]: where the result begins"},
    {"size", CLI_TEXT, offsetof(settings, size), "WxH", "1280x720", "width and height [pixels]"},
    {"fps", CLI_POSITIVE, offsetof(settings, fps), "N", "30", "film: frames a second"},
    {"seconds", CLI_POSITIVE, offsetof(settings, seconds), "S", NULL,
     "film: how long it is: as long as the run, but 2 to 20 s"},
    {"view", CLI_TEXT, offsetof(settings, view), "xy|xz|yz|iso", NULL, "from where: what fits the model"},
    {"show", CLI_TEXT, offsetof(settings, show), "LIST", NULL, "what is drawn beside: reactions,names,trails"},
    {"theme", CLI_CHOICE, offsetof(settings, theme), "light|dark", "light", ""},
    {"page", CLI_FLAG, offsetof(settings, page), NULL, NULL, "picture: of the whole page, with its plots"},
    {"plot", CLI_TEXT, offsetof(settings, plot), "LIST", NULL,
     "with --page: channels, a comma between them, | between panels"},
    {"tab", CLI_TEXT, offsetof(settings, tab), "motion|solver|certificate|model", NULL,
     "with --page: which part of it"},
    {0},
};

static const cli_command render_command = {
    .name = "render",
    .usage = "render RESULT -o FILE.png|FILE.mp4|FILE.webm [options]",
    .about =
        "Draws a result as its page does. Needs Chromium (Debian: apt-get install chromium), and ffmpeg for films.\n"
        "RESULT is a .h5 or .csv file, or its name without ending.",
    .options = options,
    .notes = "Examples\n"
             "  flyball render slider-crank -o crank.png --time 0.03\n"
             "  flyball render bricard -o bricard.mp4 --view iso --seconds 8",
    .max_words = 1,
};

enum { PATH = 2000 };

typedef struct rendering {
  const settings *s;
  const char *result;
  int width, height;
  char folder[PATH];    // for what is thrown away afterwards
  char chromium[PATH];  // its path
  char ffmpeg[PATH];    // its path, for films
  char page[PATH + 60]; // address of the page
  char out[PATH + 40];  // what the browser prints
  char made[PATH + 40]; // the picture or film
  char ending[8];       // png, mp4, webm
} rendering;

static int fail(const char *why) {
  cli_message("%s", why);
  return CLI_FAILED;
}

// ---------------------------------------------------------------------------------------------- what is asked

static bool read_size(rendering *r) {
  char rest;
  const bool good = sscanf(r->s->size, "%dx%d%c", &r->width, &r->height, &rest) == 2 && r->width >= 16 &&
                    r->height >= 16 && r->width <= 7680 && r->height <= 4320;
  if (!good)
    cli_message("--size: '%s' is not a size such as 1280x720, from 16x16 to 7680x4320.", r->s->size);
  return good;
}

static bool read_ending(rendering *r) {
  static const char *const known[] = {"png", "mp4", "webm"};
  const char *dot = r->s->out ? strrchr(r->s->out, '.') : NULL;
  for (size_t k = 0; dot && k < sizeof known / sizeof *known; k++)
    if (strcmp(dot + 1, known[k]) == 0) {
      strcpy(r->ending, known[k]);
      return true;
    }
  if (r->s->out)
    cli_message("'%s' is none of FILE.png, FILE.mp4 and FILE.webm.", r->s->out);
  else
    cli_message("render needs -o FILE.png, FILE.mp4 or FILE.webm.");
  return false;
}

// Words go into the address of the page: letters, digits and what lists need.
static bool check_word(const char *option, const char *word) {
  if (!word || word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.,|-")] == 0)
    return true;
  cli_message("--%s: '%s' has a character that no name has.", option, word);
  return false;
}

static bool find_programs(rendering *r) {
  static const char *const browsers[] = {"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", NULL},
                           *const films[] = {"ffmpeg", NULL};
  if (!cli_find_program(r->chromium, sizeof r->chromium, browsers)) {
    cli_message("there is no Chromium here (chromium, chromium-browser or google-chrome on the PATH), which draws the "
                "picture. On Debian: apt-get install chromium. Or open the page of flyball report in any browser.");
    return false;
  }
  if (strcmp(r->ending, "png") != 0 && !cli_find_program(r->ffmpeg, sizeof r->ffmpeg, films)) {
    cli_message(
        "there is no ffmpeg here, which makes a film of the frames. On Debian: apt-get install ffmpeg. Pictures "
        "(FILE.png) need none.");
    return false;
  }
  return true;
}

// ---------------------------------------------------------------------------------------------- files

static char *read_file(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  char *bytes = NULL;
  *size = 0;
  if (file && fseek(file, 0, SEEK_END) == 0) {
    const long length = ftell(file);
    rewind(file);
    bytes = length >= 0 ? malloc((size_t)length + 1) : NULL;
    if (bytes) {
      *size = fread(bytes, 1, (size_t)length, file);
      bytes[*size] = 0;
    }
  }
  if (file)
    fclose(file);
  return bytes;
}

static bool write_file(const char *path, const void *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  const bool good = file && fwrite(bytes, 1, size, file) == size;
  return file && fclose(file) == 0 && good;
}

// ---------------------------------------------------------------------------------------------- the browser

// Opens the page with a fragment; a picture of the window is left at `made` if `picture`. Its DOM is left at `out`.
static bool browse(const rendering *r, const char *fragment, bool picture, double seconds) {
  char address[PATH + 1000], window[60], shot[PATH + 80], profile[PATH + 60];
  const char *argv[24];
  int n = 0;
  snprintf(address, sizeof address, "%s#%s", r->page, fragment);
  snprintf(window, sizeof window, "--window-size=%d,%d", r->width, r->height);
  snprintf(shot, sizeof shot, "--screenshot=%s", r->made);
  snprintf(profile, sizeof profile, "--user-data-dir=%s/profile", r->folder);
  argv[n++] = r->chromium;
  argv[n++] = "--headless=new";
  argv[n++] = "--use-gl=angle"; // drawn by the processor: the same everywhere
  argv[n++] = "--use-angle=swiftshader";
  argv[n++] = "--enable-unsafe-swiftshader";
  argv[n++] = "--ignore-gpu-blocklist";
  argv[n++] = "--disable-dev-shm-usage";
  argv[n++] = "--no-first-run";
  argv[n++] = "--hide-scrollbars";
  argv[n++] = "--force-device-scale-factor=1";
  argv[n++] = "--virtual-time-budget=10000"; // it looks when nothing of this time is left to do
  argv[n++] = profile;
  argv[n++] = window;
  if (geteuid() == 0)
    argv[n++] = "--no-sandbox"; // root has none
  if (picture)
    argv[n++] = shot;
  argv[n++] = "--dump-dom";
  argv[n++] = address;
  argv[n] = NULL;
  return cli_run_program(argv, r->out, seconds) == 0;
}

// The value of an attribute behind a mark in the DOM is this word.
static bool attribute_is(const char *dom, const char *mark, const char *attribute) {
  const char *element = dom ? strstr(dom, mark) : NULL, *end = element ? strchr(element, '>') : NULL;
  const char *found = element ? strstr(element, attribute) : NULL;
  return found && end && found < end;
}

static int browser_failed(const rendering *r) {
  cli_message("%s could not draw the page%s.", r->chromium,
              cli_interrupted() ? ": interrupted" : "; open the page of flyball report in a browser to see why");
  return CLI_FAILED;
}

// ---------------------------------------------------------------------------------------------- pictures and films

static void append(char *text, size_t size, const char *key, const char *value) {
  const size_t used = strlen(text);
  if (value && used < size)
    snprintf(text + used, size - used, "&%s=%s", key, value);
}

static void write_fragment(const rendering *r, char *text, size_t size) {
  char time[60];
  snprintf(time, sizeof time, "%.17g", r->s->time);
  snprintf(text, size, "still&theme=%s%s", r->s->theme ? "dark" : "light", r->s->page ? "" : "&bare");
  append(text, size, "t", isnan(r->s->time) ? "0" : time);
  append(text, size, "view", r->s->view);
  append(text, size, "show", r->s->show);
  append(text, size, "plot", r->s->plot);
  append(text, size, "tab", r->s->tab);
}

// A browser under load hangs now and then: once more is worth the time.
static int take_picture(const rendering *r) {
  char fragment[900];
  bool drawn = false;
  write_fragment(r, fragment, sizeof fragment);
  for (int attempt = 0; attempt < 2 && !drawn && !cli_interrupted(); attempt++) {
    size_t size;
    const bool opened = browse(r, fragment, true, 60);
    char *dom = opened ? read_file(r->out, &size) : NULL;
    drawn = attribute_is(dom, "<html", "data-flyball=\"ready\"");
    free(dom);
  }
  return drawn ? CLI_DONE : browser_failed(r);
}

static size_t decode(unsigned char *out, const char *text, size_t length) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  uint32_t bits = 0;
  int held = 0;
  size_t size = 0;
  for (size_t k = 0; k < length; k++) {
    const char *letter = text[k] ? strchr(letters, text[k]) : NULL;
    if (!letter)
      continue; // = at the end
    bits = bits << 6 | (uint32_t)(letter - letters);
    held += 6;
    if (held >= 8)
      out[size++] = (unsigned char)(bits >> (held -= 8));
  }
  return size;
}

// Frames that the page left in its DOM, one a line, into files; how many, 0: none.
static int unpack_frames(const rendering *r, char *dom) {
  static const char mark[] = "<pre id=\"flyball-film\"";
  if (!attribute_is(dom, mark, "data-status=\"ok\""))
    return 0;
  int count = 0;
  char *line = strchr(strstr(dom, mark), '>') + 1;
  while (*line != '<' && *line != 0) {
    char path[PATH + 60];
    const size_t length = strcspn(line, "\n<");
    const size_t size = decode((unsigned char *)line, line, length); // in place: three bytes for four
    snprintf(path, sizeof path, "%s/%06d.png", r->folder, count);
    const bool more = line[length] == '\n';
    if (size > 0 && !write_file(path, line, size))
      return 0;
    count += size > 0;
    line += length + more;
  }
  return count;
}

static double film_seconds(const rendering *r) {
  const int time_column = 0;
  double first = 0, last = 0;
  fly_result *result = NULL;
  if (!isnan(r->s->seconds))
    return r->s->seconds;
  if (fly_result_open(&result, r->result, NULL) == FLY_OK && fly_result_info_of(result)->rows > 0) {
    fly_result_read(result, &first, &time_column, 1, 0, 1, NULL);
    fly_result_read(result, &last, &time_column, 1, fly_result_info_of(result)->rows - 1, 1, NULL);
  }
  fly_result_close(result);
  return fmin(fmax(last - first, 2), 20);
}

static bool encode(const rendering *r) {
  char rate[40], frames[PATH + 60];
  snprintf(rate, sizeof rate, "%.9g", r->s->fps);
  snprintf(frames, sizeof frames, "%s/%%06d.png", r->folder);
  const bool webm = strcmp(r->ending, "webm") == 0;
  const char *const argv[] = {r->ffmpeg,
                              "-y",
                              "-framerate",
                              rate,
                              "-i",
                              frames,
                              "-c:v",
                              webm ? "libvpx-vp9" : "libx264",
                              "-crf",
                              webm ? "30" : "20",
                              "-b:v",
                              "0",
                              "-pix_fmt",
                              "yuv420p",
                              "-vf",
                              "pad=ceil(iw/2)*2:ceil(ih/2)*2", // an odd size has no halves for the colors
                              r->made,
                              NULL};
  return cli_run_program(argv, NULL, 1800) == 0;
}

static int make_film(const rendering *r) {
  char fragment[900], more[200];
  size_t size;
  const double seconds = film_seconds(r);
  if (seconds * r->s->fps > 3000)
    return fail("a film has 3000 frames at most; choose fewer --seconds or --fps.");
  write_fragment(r, fragment, sizeof fragment);
  snprintf(more, sizeof more, "&record=frames&size=%dx%d&fps=%.9g&seconds=%.9g", r->width, r->height, r->s->fps,
           seconds);
  strncat(fragment, more, sizeof fragment - strlen(fragment) - 1);
  const bool opened = browse(r, fragment, false, 1800);
  char *dom = opened ? read_file(r->out, &size) : NULL;
  const int frames = dom ? unpack_frames(r, dom) : 0;
  free(dom);
  if (frames == 0)
    return browser_failed(r);
  return encode(r) ? CLI_DONE : fail("ffmpeg could not make a film of the frames.");
}

// ---------------------------------------------------------------------------------------------- the command

static int deliver(const rendering *r) {
  size_t size;
  char *bytes = read_file(r->made, &size);
  const bool made = bytes && size > 0, good = made && write_file(r->s->out, bytes, size);
  free(bytes);
  if (!made)
    return fail("the browser, or ffmpeg, left an empty file.");
  if (!good) {
    cli_cannot_write(r->s->out);
    return CLI_FAILED;
  }
  printf("%s: %.2f MB\n", r->s->out, 1e-6 * (double)size);
  return CLI_DONE;
}

// Told before the work, which may take minutes; nothing is left of the trial.
static bool can_be_written(const char *path) {
  FILE *before = fopen(path, "rb"), *file = fopen(path, "ab");
  if (!file)
    cli_cannot_write(path);
  else
    fclose(file);
  if (before)
    fclose(before);
  else if (file)
    remove(path);
  return file != NULL;
}

// Without a scene only the plots of the whole page can be drawn.
static int check_scene(const rendering *r) {
  fly_result *result = NULL;
  fly_error error = {0};
  const fly_status status = fly_result_open(&result, r->result, &error);
  if (status) {
    cli_message("%s", error.message);
    return cli_exit_status(status);
  }
  const fly_result_info *i = fly_result_info_of(result);
  bool found = r->s->page && strcmp(r->ending, "png") == 0;
  for (int k = 0; k < i->nattachment; k++)
    found = found || strcmp(i->attachment[k], "scene.json") == 0;
  if (!found)
    cli_message("%s has no scene (results of flyball run have one): there is nothing to draw. With --page a picture "
                "shows its plots.",
                i->path);
  fly_result_close(result);
  return found ? CLI_DONE : CLI_USAGE;
}

static int render(rendering *r) {
  char file[PATH + 40];
  const fly_report_options o = fly_report_options_default();
  fly_error error = {0};
  snprintf(file, sizeof file, "%s/page.html", r->folder);
  snprintf(r->page, sizeof r->page, "file://%s", file);
  snprintf(r->out, sizeof r->out, "%s/dom.html", r->folder);
  snprintf(r->made, sizeof r->made, "%s/made.%s", r->folder, r->ending);
  const fly_status status = fly_report_write(file, 1, &r->result, &o, NULL, &error);
  if (status) {
    cli_message("%s", error.message);
    return cli_exit_status(status);
  }
  const int exit_status = strcmp(r->ending, "png") == 0 ? take_picture(r) : make_film(r);
  return exit_status == CLI_DONE ? deliver(r) : cli_interrupted() ? CLI_INTERRUPTED : exit_status;
}

int cmd_render(int argc, char **argv) {
  cli_arguments a;
  settings s = {0};
  int exit_status = cli_read(&a, &s, &render_command, argc, argv);
  if (exit_status >= 0)
    return exit_status;
  rendering r = {.s = &s, .result = a.word[0]};
  if (a.nword != 1) {
    cli_message("render takes one result; see flyball render --help.");
    return CLI_USAGE;
  }
  if (!read_ending(&r) || !read_size(&r) || !check_word("view", s.view) || !check_word("show", s.show) ||
      !check_word("plot", s.plot) || !check_word("tab", s.tab))
    return CLI_USAGE;
  exit_status = check_scene(&r);
  if (exit_status != CLI_DONE)
    return exit_status;
  if (!can_be_written(s.out))
    return CLI_USAGE;
  if (!find_programs(&r))
    return CLI_FAILED;
  if (!cli_scratch_make(r.folder, sizeof r.folder))
    return fail("no temporary folder can be made.");
  cli_catch_interrupt();
  exit_status = render(&r);
  cli_scratch_remove(r.folder);
  return exit_status;
}
