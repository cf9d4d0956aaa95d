-- What the extension adds to the catalog.

-- Every operator class and family is complete and consistent.
SELECT am.amname, opc.opcname, amvalidate(opc.oid)
  FROM pg_opclass opc JOIN pg_am am ON am.oid = opc.opcmethod
 WHERE opc.opcintype IN (SELECT objid FROM pg_depend d JOIN pg_extension e ON d.refobjid = e.oid
                          WHERE e.extname = 'kid' AND d.classid = 'pg_type'::regclass AND d.deptype = 'e')
 ORDER BY opc.opcintype::regtype::text COLLATE "C", 1, 2;

-- amvalidate does not report optional parts that are missing: support functions, and the properties of operators for the planner. One type is enough here, as
-- all types are made from the same template.
SELECT am.amname, f.opfname, amprocnum, amproc
  FROM pg_amproc JOIN pg_opfamily f ON f.oid = amprocfamily JOIN pg_am am ON am.oid = f.opfmethod
 WHERE amproclefttype = 'kid64'::regtype ORDER BY am.amname, f.opfname, amprocnum;
SELECT oprname, oprcom::regoperator, oprnegate::regoperator, oprrest, oprjoin, oprcanmerge, oprcanhash
  FROM pg_operator WHERE oprleft = 'kid64'::regtype AND oprright = 'kid64'::regtype ORDER BY oprname;

-- Every object has a comment, except the array types and row types that PostgreSQL makes by itself.
SELECT pg_describe_object(d.classid, d.objid, 0) AS uncommented
  FROM pg_depend d JOIN pg_extension e ON d.refobjid = e.oid AND d.refclassid = 'pg_extension'::regclass
 WHERE e.extname = 'kid' AND d.deptype = 'e'
   AND obj_description(d.objid, d.classid::regclass::name) IS NULL
   AND NOT EXISTS (SELECT FROM pg_type WHERE oid = d.objid AND (typcategory = 'A' OR typtype = 'c') AND d.classid = 'pg_type'::regclass)
 ORDER BY 1;

-- Only generators are volatile, and only functions that depend on a setting are stable. The list has these, and any function that is not parallel safe.
SELECT p.oid::regprocedure AS function, p.provolatile, p.proparallel
  FROM pg_proc p JOIN pg_depend d ON d.objid = p.oid AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e'
       JOIN pg_extension e ON d.refobjid = e.oid
 WHERE e.extname = 'kid' AND (p.provolatile <> 'i' OR p.proparallel <> 's')
 ORDER BY p.oid::regprocedure::text COLLATE "C";

-- Comparisons, and times that depend on no setting, may run on rows that the user must not see (LEAKPROOF). All other functions return NULL for NULL.
SELECT p.oid::regprocedure AS function
  FROM pg_proc p JOIN pg_depend d ON d.objid = p.oid AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e'
       JOIN pg_extension e ON d.refobjid = e.oid
 WHERE e.extname = 'kid' AND p.proleakproof
 ORDER BY p.oid::regprocedure::text COLLATE "C";
SELECT p.oid::regprocedure AS function
  FROM pg_proc p JOIN pg_depend d ON d.objid = p.oid AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e'
       JOIN pg_extension e ON d.refobjid = e.oid
 WHERE e.extname = 'kid' AND NOT p.proisstrict AND p.pronargs > 0 AND p.prokind = 'f'
 ORDER BY p.oid::regprocedure::text COLLATE "C";

-- Casts: no cast from a type of IDs is implicit.
SELECT castsource::regtype, casttarget::regtype, castcontext, castmethod
  FROM pg_cast c JOIN pg_depend d ON d.objid = c.oid AND d.classid = 'pg_cast'::regclass AND d.deptype = 'e'
       JOIN pg_extension e ON d.refobjid = e.oid
 WHERE e.extname = 'kid'
 ORDER BY castsource::regtype::text COLLATE "C", casttarget::regtype::text COLLATE "C";

-- pg_upgrade creates each object from its definition, in an order that depends only on dependencies. So a cast must not need another cast, and a function body
-- in SQL must not refer to an unnamed parameter by name.
SELECT castsource::regtype, casttarget::regtype
  FROM pg_cast c JOIN pg_proc p ON p.oid = c.castfunc
       JOIN pg_depend d ON d.objid = c.oid AND d.classid = 'pg_cast'::regclass AND d.deptype = 'e'
       JOIN pg_extension e ON d.refobjid = e.oid
 WHERE e.extname = 'kid' AND (p.prorettype <> c.casttarget OR p.proargtypes[0] <> c.castsource);
SELECT p.oid::regprocedure AS function
  FROM pg_proc p JOIN pg_depend d ON d.objid = p.oid AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e'
       JOIN pg_extension e ON d.refobjid = e.oid
 WHERE e.extname = 'kid' AND p.prosqlbody IS NOT NULL AND '' = ANY (p.proargnames);

-- Settings: an ordinary user may change none of them. They exist once the library is loaded.
LOAD 'kid';
SELECT name, setting, unit, min_val, max_val, context, short_desc FROM pg_settings WHERE name LIKE 'kid.%' ORDER BY name;
