/** How the folders and files of a data directory are called, in which a store is kept. */

export const JOURNAL_FOLDER = "journal";
export const TABLES_FOLDER = "tables";
/** In the folder of the tables, so called by the embedded engine. */
export const TABLES_FILE = "data.mdb";
