/**
 * The two layouts of rotary encodings: conversion of vectors and weights, and detection. They need no
 * loaded module.
 */
export { detectLayout } from './layout/detect.js';
export type { DetectedLayout, DetectRotation, DetectScores } from './layout/detect.js';
export { convertLayout, convertProjection } from './layout/permute.js';
export type { LayoutOptions, Movable, PairLayout, ProjectionOptions } from './layout/permute.js';
