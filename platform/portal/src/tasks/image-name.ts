/** The name of an image without the digest to which a task pins it: a copy takes what the name means then. */
export function imageName(image: string): string {
  return image.replace(/@sha256:[0-9a-f]+$/, "");
}
