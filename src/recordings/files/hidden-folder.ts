/** In a recording's folder: what is for the tool alone, and not for git. No path gives a folder such a name. */
export const HIDDEN = '.patchgate';
