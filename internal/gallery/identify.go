package gallery

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // for image.DecodeConfig
	_ "image/png"
)

// maxSide is the most pixels of a side that are believed.
const maxSide = 30_000

var errNoPicture = errors.New("not a PNG, JPEG or WebP picture")

// Identify says what a picture is, png, jpeg or webp, and how large. What a
// page sends as a picture is not one until this says so.
func Identify(data []byte) (kind string, width, height int, err error) {
	if len(data) >= 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WEBP" {
		kind = "webp"
		width, height, err = webpSize(data[12:])
	} else {
		var c image.Config
		c, kind, err = image.DecodeConfig(bytes.NewReader(data))
		width, height = c.Width, c.Height
		if err != nil {
			err = errNoPicture
		}
	}
	if err != nil {
		return "", 0, 0, err
	}
	if width < 1 || height < 1 || width > maxSide || height > maxSide {
		return "", 0, 0, fmt.Errorf("a picture of %d×%d pixels", width, height)
	}
	return kind, width, height, nil
}

// webpSize reads the first chunk's header: of a lossy, a lossless or an
// extended picture.
func webpSize(chunk []byte) (width, height int, err error) {
	if len(chunk) < 18 {
		return 0, 0, errNoPicture
	}
	body := chunk[8:]
	switch string(chunk[:4]) {
	case "VP8 ": // a frame tag of three bytes, a start code of three, two sizes of 14 bits
		return int(binary.LittleEndian.Uint16(body[6:]) & 0x3fff), int(binary.LittleEndian.Uint16(body[8:]) & 0x3fff), nil
	case "VP8L": // a signature of one byte, two sizes of 14 bits less one
		bits := binary.LittleEndian.Uint32(body[1:])
		return int(bits&0x3fff) + 1, int(bits>>14&0x3fff) + 1, nil
	case "VP8X": // flags of four bytes, two sizes of 24 bits less one
		return uint24(body[4:]) + 1, uint24(body[7:]) + 1, nil
	}
	return 0, 0, errNoPicture
}

func uint24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }
