# The number, the text and the time of a kid64, and the least number of a time. Times are microseconds since 1970, UTC.
DIGITS = ".0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"


def number(text):
    return sum(DIGITS.index(c) << 60 - 6 * i for i, c in enumerate(text)) >> 2


def text(number):
    return "".join(DIGITS[number << 2 >> 60 - 6 * i & 63] for i in range(11))


def micros(number):
    return ((number >> 44) * 1000000 + (number >> 24 & 0xFFFFF)) * 1000000 + ((number >> 14 & 0x3FF) << 10)


def floor(micros):
    return micros // 10**12 << 44 | micros // 10**6 % 10**6 << 24 | micros % 10**6 >> 10 << 14
