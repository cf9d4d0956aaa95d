# make, make install, make installcheck: the usual ones of PostgreSQL extensions; they take PG_CONFIG=...
# make test-matrix:                      make test with every supported PostgreSQL
# make test, make demo, make bench:      install what is missing and use a private server; see CONTRIBUTING.md
# make compile_commands.json:            what clangd and clang-tidy want to know

comma      = ,
EXTENSION  = kid
EXTVERSION = $(shell sed -n "s/^default_version = '\(.*\)'/\1/p" kid.control)

# Each ID type and its size in bytes.
TYPES = kid64/8 kid96/12 sno/10 flake/8 flax/12

MODULE_big = kid
OBJS       = $(patsubst %.cpp,%.o,$(sort $(wildcard src/pg/*.cpp)))
SCRIPT     = $(EXTENSION)--$(EXTVERSION).sql
DATA_built = $(SCRIPT)
# Scripts of versions before this one, as they were released, and those that update from one to the next.
DATA       = $(filter-out released/$(SCRIPT),$(wildcard released/*.sql))
REGRESS    = $(patsubst sql/%.sql,%,$(sort $(wildcard sql/*.sql)))
REGRESS_OPTS = --load-extension=$(EXTENSION) --encoding=UTF8 --no-locale

SHLIB_LINK = $(if $(filter linux,$(PORTNAME)),-Wl$(comma)--version-script=$(srcdir)/src/pg/exports.map)

PG_CONFIG ?= pg_config

# The server's headers as system headers: our own code is held to stricter warnings than they are.
# ASSERTIONS=yes checks PostgreSQL's assertions in kid alone, beside a server that was built without. That is safe: the
# function that reports a failure is in every server, so that this can be done (c.h), and of the structs the macro changes
# only MemoryContextMethods, to which it adds a last member, and which only the server makes and reads.
PG_CPPFLAGS = -isystem $(shell $(PG_CONFIG) --includedir-server) -DKID_VERSION='"$(EXTVERSION)"' $(if $(ASSERTIONS),-DUSE_ASSERT_CHECKING)
# -Wno-register: 15 and older still say "register" in their headers.
PG_CXXFLAGS = -std=c++17 -fno-exceptions -fno-rtti -fno-threadsafe-statics \
              -fvisibility=hidden -fvisibility-inlines-hidden \
              -Wall -Wextra -Wshadow -Wconversion -Wno-register $(WERROR)
EXTRA_CLEAN = $(OBJS:.o=.d) build

PRIVATE = test test-assertions test-peers demo bench lint
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

# Expanding the templates of the install script: pages in the order of their names, a template (.sql.in) once for each
# type; 40-bigint.sql.in only for those of 8 bytes, 40-uuid.sql.in only for the others; 45-time-*.sql.in for those
# that such a column orders by time.
SQL_PAGES = $(sort $(wildcard src/sql/*.sql src/sql/*.sql.in))

# $(call expand,page,type/size)
type    = $(patsubst %/,%,$(dir $(1)))
storage = $(if $(filter 8,$(notdir $(1))),LIKE = bigint,INTERNALLENGTH = $(notdir $(1))$(comma) ALIGNMENT = char)
expand  = sed -e 's/@type@/$(call type,$(2))/g' -e 's/@storage@/$(call storage,$(2))/' $(1);
types_of = $(or $(if $(findstring next,$(1)),$(filter-out sno/%,$(TYPES))), \
                $(if $(findstring bigint,$(1)),$(filter %/8,$(TYPES))), \
                $(if $(findstring time-uuid,$(1)),$(filter sno/% flax/%,$(TYPES))), \
                $(if $(findstring time-text,$(1)),$(filter kid64/% sno/% flax/%,$(TYPES))), \
                $(if $(findstring uuid,$(1)),$(filter-out %/8,$(TYPES))), \
                $(TYPES))
page    = $(if $(filter %.in,$(1)),$(foreach t,$(types_of),$(call expand,$(1),$(t))),cat $(1);)

$(SCRIPT): $(SQL_PAGES) Makefile kid.control
	{ $(foreach p,$(SQL_PAGES),$(call page,$(p))) } | sed 's/@version@/$(EXTVERSION)/' > $@.tmp
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
