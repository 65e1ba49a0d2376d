/** The thread on which user JavaScript runs. */
export {};
