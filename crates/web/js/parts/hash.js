// Hashes that name parts.

/** Returns the SHA-256 of bytes in hexadecimal form. */
export async function hashOf(bytes) {
  const hash = await crypto.subtle.digest("SHA-256", bytes);
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
