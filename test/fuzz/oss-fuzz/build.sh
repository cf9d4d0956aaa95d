#!/usr/bin/env bash
# Builds the targets for OSS-Fuzz, which sets SRC, WORK, OUT, CXX, CXXFLAGS and LIB_FUZZING_ENGINE. $SRC/kid is a clone
# of kid. OUT gets the programs, and with each of them the inputs with which it begins.
# make test-fuzz runs this program, too.
set -eu
cd "$SRC/kid/test/fuzz"
make programs BUILD="$WORK/fuzz" CXX="$CXX" SANITIZERS="$CXXFLAGS" ENGINE="$LIB_FUZZING_ENGINE"
./corpus "$WORK/corpus"
for program in "$WORK"/fuzz/*_fuzz; do
    name=$(basename "$program")
    target=${name%_fuzz}
    cp "$program" "$OUT/"
    rm -f "$OUT/${name}_seed_corpus.zip"
    zip -q -j "$OUT/${name}_seed_corpus.zip" "$WORK/corpus/$target"/*
    printf '[libfuzzer]\nmax_len = %s\n' "$(sed -n "s/^longest_$target *= //p" Makefile)" >"$OUT/$name.options"
done
