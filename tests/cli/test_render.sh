# A picture and a film of a run, drawn by Chromium and joined by ffmpeg, where they are installed.
# labels: slow
# timeout: 300
program=$1
source=$2
command -v chromium >/dev/null || { echo "no chromium: skipped"; exit 0; }
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
cd "$folder"
"$program" run "$source/examples/four-bar.yaml" --error 1e-3 >/dev/null
"$program" render four-bar -o a.png --time 0.3 --size 320x200
"$program" render four-bar -o b.png --time 0.5 --size 320x200
python3 - <<'EOF'
import struct, zlib

def pixels(path):
    """Rows of the picture as bytes, filters undone."""
    data = open(path, "rb").read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    place, idat = 8, b""
    while place < len(data):
        length, kind = struct.unpack(">I4s", data[place:place + 8])
        body = data[place + 8:place + 8 + length]
        if kind == b"IHDR":
            width, height, depth, color = struct.unpack(">IIBB", body[:10])
        idat += body if kind == b"IDAT" else b""
        place += 12 + length
    assert (width, height, depth) == (320, 200, 8), (width, height, depth)
    n = {2: 3, 6: 4}[color]
    raw, rows, before = zlib.decompress(idat), [], bytes(width * n)
    for y in range(height):
        kind, line = raw[y * (width * n + 1)], bytearray(raw[y * (width * n + 1) + 1:(y + 1) * (width * n + 1)])
        for x in range(width * n):
            a, b = line[x - n] if x >= n else 0, before[x]
            c = before[x - n] if x >= n else 0
            p = a + b - c
            paeth = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
            line[x] = (line[x] + [0, a, b, (a + b) // 2, paeth][kind]) & 255
        rows.append(bytes(line))
        before = rows[-1]
    return [row[x:x + 3] for row in rows for x in range(0, width * n, n)]

a, b = pixels("a.png"), pixels("b.png")
strong = [p for p in a if max(p) - min(p) > 60]  # the grid is gray, the bars are not
moved = sum(p != q for p, q in zip(a, b))
print("%d pixels of bars, %d differ between the two times" % (len(strong), moved))
assert len(strong) > 200 and moved > 200
EOF
if "$program" render none -o c.png 2>message; then exit 1; fi
grep -q "none: cannot be read" message
command -v ffmpeg >/dev/null || { echo "no ffmpeg: no film"; exit 0; }
for kind in webm mp4; do
  "$program" render four-bar -o "film.$kind" --seconds 1 --fps 5 --size 161x91
  test "$(ffprobe -v error -count_frames -select_streams v -show_entries stream=nb_read_frames -of csv=p=0 "film.$kind")" = 5
done
