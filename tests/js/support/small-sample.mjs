// A sample of a few passages in the place of the book: for tests that are about something else, and would wait for it.

export const SAMPLE = {
  title: "Notes",
  authors: "nobody in particular",
  license: "CC0-1.0",
  documents: [
    { id: "tides", title: "Tides", format: "markdown", text: "# Tides\n\nThe moon pulls the sea towards it, and twice a day the water rises." },
    { id: "bread", title: "Bread", format: "markdown", text: "# Bread\n\nFlour, water and salt rise overnight and are baked in a hot oven." },
    { id: "owls", title: "Owls", format: "markdown", text: "# Owls\n\nOwls fly without a sound because the edges of their feathers are soft." },
  ],
};

export const useSmallSample = (page) => page.context().route("**/rust-book.json", (route) => route.fulfill({ json: SAMPLE }));
