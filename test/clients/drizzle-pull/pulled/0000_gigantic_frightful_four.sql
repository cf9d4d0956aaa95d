-- Current sql file was generated after introspecting the database
-- If you want to run this migration please uncomment this code before executing migrations
/*
CREATE TABLE "of_kid64" (
	"id" "kid64" PRIMARY KEY NOT NULL,
	"item" text
);
--> statement-breakpoint
CREATE TABLE "of_kid64_domain" (
	"id" "kid64" PRIMARY KEY NOT NULL,
	"item" text
);
--> statement-breakpoint
CREATE TABLE "of_kid64_as_bigint" (
	"id" bigint PRIMARY KEY NOT NULL,
	"item" text
);
--> statement-breakpoint
CREATE TABLE "of_kid53" (
	"id" bigint PRIMARY KEY NOT NULL,
	"item" text
);
--> statement-breakpoint
CREATE TABLE "of_kid53_domain" (
	"id" bigint_domain PRIMARY KEY NOT NULL,
	"item" text
);
--> statement-breakpoint
CREATE TABLE "of_uuid" (
	"id" uuid PRIMARY KEY NOT NULL,
	"item" text
);
--> statement-breakpoint
CREATE TABLE "kinds" (
	"nr" integer PRIMARY KEY NOT NULL,
	"name" "regclass",
	"ids" text[]
);

*/