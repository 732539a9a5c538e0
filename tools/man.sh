#!/bin/sh
# The manual page, from what the program says about itself: tools/man.sh PROGRAM > flyball.1
set -eu
program=$1

# Text as it stands: backslashes and leading dots and quotes mean something to roff.
plain() {
  sed 's/\\/\\e/g; s/-/\\-/g; s/^\([.'"'"']\)/\\\&\1/'
}

version=$("$program" --version | cut -d ' ' -f 2)
cat <<END
.TH FLYBALL 1 "" "Flyball $version" "User commands"
.SH NAME
flyball \\- simulate constrained mechanical systems, to the error asked for
.SH SYNOPSIS
.B flyball
.I SUBCOMMAND
[\\fIoptions\\fR]
.SH DESCRIPTION
.nf
END
"$program" --help | sed '1,2d; /^Exit status/,$d' | plain
printf '.fi\n.SH SUBCOMMANDS\n'
for name in $("$program" --help | sed -n 's/^  flyball \([a-z]*\) .*/\1/p'); do
  printf '.SS %s\n.nf\n' "$name"
  "$program" "$name" --help | plain
  printf '.fi\n'
done
cat <<'END'
.SH EXIT STATUS
.TP
0
done as asked
.TP
1
the analysis could not do it, or not as asked
.TP
2
bad input or usage
.TP
130, 143
interrupted by Ctrl\-C, by SIGTERM; what was reached is kept
.SH FILES
.TP
.I MODEL.yaml
a model; \fBflyball new\fR writes a first one, \fBflyball explain\fR tells what there is
.TP
.I NAME.h5
a result: numbers, record, what there is to see; \fINAME.part.h5\fR while a run goes on
.TP
.I NAME.html
the page of \fBflyball report\fR
END
