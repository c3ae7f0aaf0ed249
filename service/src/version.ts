/** The version of this release; `/status`, `--version` and the logs show it. */
export const version = '1.2.0';
