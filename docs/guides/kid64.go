// Package kid64 has the number, the text and the time of a kid64, and the lowest number of a time. Times are microseconds since
// 1970, UTC.
package kid64

import "strings"

const digits = ".0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"

func Number(text string) (number uint64) {
	for _, c := range text[:10] {
		number = number<<6 | uint64(strings.IndexRune(digits, c))
	}
	return number<<4 | uint64(strings.IndexByte(digits, text[10]))>>2
}

func Text(number uint64) string {
	var text [11]byte
	for i := range text {
		text[i] = digits[number<<(6*i)>>58]
	}
	return string(text[:])
}

func Micros(number uint64) uint64 {
	return ((number>>44)*1000000+(number>>24&0xfffff))*1000000 + (number >> 14 & 0x3ff << 10)
}

func Floor(micros uint64) uint64 {
	return micros/1000000000000<<44 | micros/1000000%1000000<<24 | micros%1000000>>10<<14
}
