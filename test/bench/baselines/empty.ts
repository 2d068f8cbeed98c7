// A program that does nothing.
export {};
