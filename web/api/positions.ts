/**
 * Where tokens stand: functions that make the lists of positions which encodings and attention take.
 * They need no loaded module.
 */
export * from './positions/maps.js';
export * from './positions/mrope.js';
export * from './positions/padding.js';
export * from './positions/streaming.js';
export * from './positions/training.js';
