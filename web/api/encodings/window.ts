/** Options of biases inside image windows; positions are (row, column). */
import type { Data } from '../types.js';

/** Liu 2021, “Swin Transformer: Hierarchical Vision Transformer using Shifted Windows”, section 3.2. */
export interface SwinOptions {
  /** Number of heads. 1 … 4096. */
  heads: number;
  /** Rows of a window. 1 … 4096. */
  height: number;
  /** Columns of a window. 1 … 4096. */
  width: number;
  /**
   * Bias of every relative position and head, `[(2·height − 1)·(2·width − 1), heads]`
   * (relative_position_bias_table).
   */
  table: Data;
}

/** Liu 2021, “Swin Transformer V2: Scaling Up Capacity and Resolution”, section 3.3. */
export interface SwinCpbOptions {
  /** Number of heads. 1 … 4096. */
  heads: number;
  /** Rows of a window. 1 … 256. */
  height: number;
  /** Columns of a window. 1 … 256. */
  width: number;
  /** Rows of a window in pre-training; 0: as many as `height`. 0 … 256. Default 0. */
  pretrainedHeight?: number;
  /** Columns of a window in pre-training; 0: as many as `width`. 0 … 256. Default 0. */
  pretrainedWidth?: number;
  /** Width of the perceptron's hidden layer. 1 … 65536. Default 512. */
  hidden?: number;
  /** First layer, `[hidden, 2]`. */
  w1: Data;
  /** Its offsets, `[hidden]`. */
  b1: Data;
  /** Second layer, `[heads, hidden]`. */
  w2: Data;
}
