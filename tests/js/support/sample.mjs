// The sample data of code blocks: `kb` contains these documents, and `question` is about them.

export const DOCUMENTS = [
  {
    collection: "default",
    id: "acme-2023.md",
    title: "ACME 2023",
    text: "# Termination\n\nEither party may end this contract. The notice period is 30 days, in writing.",
    metadata: { year: 2023, party: "ACME" },
  },
  {
    collection: "plans",
    id: "plans.md",
    title: "Plans",
    text: "# Plans\n\nThe basic plan costs 10 a month. The enterprise plan costs 90 a month and includes support within four hours.",
    metadata: { year: 2022 },
  },
];

export const QUESTION = "How long is the notice period of the ACME contract?";

/** Name and text of `file`. */
export const FILE = { name: "notes.md", text: "# Notes\n\nThe meeting is on Monday." };
