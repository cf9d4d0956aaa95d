\echo Use "CREATE EXTENSION kid" to load this file. \quit
