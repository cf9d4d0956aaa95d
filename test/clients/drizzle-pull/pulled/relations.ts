import { relations } from "drizzle-orm/relations";
import {  } from "./schema";

