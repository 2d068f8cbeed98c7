// Loaded before the command line: SIGUSR2 blocks the event loop for ever.
process.on("SIGUSR2", () => {
  for (;;);
});
