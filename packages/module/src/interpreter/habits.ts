/** Habits of terminals that a session has for a person; a personality says which. Without echo there are none. */
export interface Habits {
  /** Ctrl-A, E, K, U, W, C and L edit the line. */
  readonly controlKeys: boolean;
  /** TAB completes values, options and files besides names, and names of variables level by level. */
  readonly completion: boolean;
  /** A line of the log takes the place of prompt and typed line, which are drawn again below it. */
  readonly redraw: boolean;
  /** `help COMMAND` ends with an example. */
  readonly helpExamples: boolean;
}
