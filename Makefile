# make, make install, make installcheck: the usual ones of PostgreSQL extensions; they take PG_CONFIG=...
# make test-matrix:                      make test with every supported PostgreSQL
# make test, make demo, make bench:      install what is missing and use a private server; see CONTRIBUTING.md
# make compile_commands.json:            what clangd and clang-tidy want to know

comma      = ,
EXTENSION  = kid
EXTVERSION = $(shell sed -n "s/^default_version = '\(.*\)'/\1/p" kid.control)

# Each is a page in src/sql/types. kid96 has casts to kid64, so it comes after.
TYPES      = kid64 kid96 sno flake flax uuidv7

MODULE_big = kid
OBJS       = $(patsubst %.cpp,%.o,$(sort $(wildcard src/pg/*.cpp src/pg/*/*.cpp)))
SCRIPT     = $(EXTENSION)--$(EXTVERSION).sql
DATA_built = $(SCRIPT)
# Scripts of released versions before this one, if there are any, and those that update from one to the next.
DATA       = $(filter-out released/$(SCRIPT),$(wildcard released/*.sql))
REGRESS    = $(patsubst sql/%.sql,%,$(sort $(wildcard sql/*.sql)))
REGRESS_OPTS = --load-extension=$(EXTENSION) --encoding=UTF8 --no-locale

SHLIB_LINK = $(if $(filter linux,$(PORTNAME)),-Wl$(comma)--version-script=$(srcdir)/src/pg/base/exports.map)

PG_CONFIG ?= pg_config

# The server's headers as system headers: our own code is held to stricter warnings than they are.
# ASSERTIONS=yes checks PostgreSQL's assertions in kid alone, beside a server that was built without. That is safe: the
# function that reports a failure is in every server, so that this can be done (c.h), and of the structs the macro changes
# only MemoryContextMethods, to which it adds a last member, and which only the server makes and reads.
PG_CPPFLAGS = -isystem $(shell $(PG_CONFIG) --includedir-server) -DKID_VERSION='"$(EXTVERSION)"' \
              -DKID_TYPES='$(patsubst %,X(%),$(TYPES))' $(if $(ASSERTIONS),-DUSE_ASSERT_CHECKING)
# -Wno-register: 15 and older still say "register" in their headers.
PG_CXXFLAGS = -std=c++17 -fno-exceptions -fno-rtti -fno-threadsafe-statics \
              -fvisibility=hidden -fvisibility-inlines-hidden \
              -Wall -Wextra -Wshadow -Wconversion -Wno-register $(WERROR)
EXTRA_CLEAN = $(OBJS:.o=.d) build

PRIVATE = test test-assertions test-core test-ha test-citus test-peers test-clients demo bench lint
.PHONY: $(PRIVATE) test-matrix

ifneq ($(filter $(PRIVATE) test-matrix,$(MAKECMDGOALS)),)
# These may find no pg_config yet, so they cannot read PGXS.
$(PRIVATE):
	@test/run $@
test-matrix:
	@test/matrix
else

PGXS := $(shell $(PG_CONFIG) --pgxs)
ifeq ($(PGXS),)
$(error "$(PG_CONFIG)" does not work; set PG_CONFIG to the pg_config of a PostgreSQL with its server headers)
endif
include $(PGXS)

$(SCRIPT): $(wildcard src/sql/* src/sql/*/*) Makefile kid.control
	src/sql/assemble $(EXTVERSION) $(TYPES) > $@.tmp
	mv $@.tmp $@

# PGXS compiles bitcode without PG_CXXFLAGS, and does not see when a header changed.
COMPILE.cxx.bc += $(PG_CXXFLAGS)

%.o: %.cpp Makefile
	$(CXX) $(CXXFLAGS) $(CPPFLAGS) -MMD -MP -MT $@ -MT $*.bc -c -o $@ $<

src/pg/module.o src/pg/module.bc: kid.control

-include $(OBJS:.o=.d)

# The command of each source, for clangd and clang-tidy, which know fewer warnings than gcc.
define newline


endef
source = {"directory": "$(CURDIR)", "file": "$(1)", "command": \
  "$(subst ",\",$(CXX) $(CXXFLAGS) $(CPPFLAGS)) -Wno-unknown-warning-option -c $(1)"}
.PHONY: compile_commands.json
compile_commands.json:
	@:$(file >$@,[$(subst } {,}$(comma)$(newline){,$(foreach s,$(OBJS:.o=.cpp),$(call source,$(s))))])

endif
