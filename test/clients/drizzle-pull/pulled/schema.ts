import { pgTable, text, bigint, uuid, integer } from "drizzle-orm/pg-core"
import { sql } from "drizzle-orm"



export const ofKid64 = pgTable("of_kid64", {
	// TODO: failed to parse database type 'kid64'
	id: unknown("id").primaryKey().notNull(),
	item: text(),
});

export const ofKid64Domain = pgTable("of_kid64_domain", {
	// TODO: failed to parse database type 'kid64'
	id: unknown("id").primaryKey().notNull(),
	item: text(),
});

export const ofKid64AsBigint = pgTable("of_kid64_as_bigint", {
	// You can use { mode: "bigint" } if numbers are exceeding js number limitations
	id: bigint({ mode: "number" }).primaryKey().notNull(),
	item: text(),
});

export const ofKid53 = pgTable("of_kid53", {
	// You can use { mode: "bigint" } if numbers are exceeding js number limitations
	id: bigint({ mode: "number" }).primaryKey().notNull(),
	item: text(),
});

export const ofKid53Domain = pgTable("of_kid53_domain", {
	// You can use { mode: "bigint" } if numbers are exceeding js number limitations
	id: bigint({ mode: "number" }).primaryKey().notNull(),
	item: text(),
});

export const ofUuid = pgTable("of_uuid", {
	id: uuid().primaryKey().notNull(),
	item: text(),
});

export const kinds = pgTable("kinds", {
	nr: integer().primaryKey().notNull(),
	// TODO: failed to parse database type 'regclass'
	name: unknown("name"),
	ids: text().array(),
});
