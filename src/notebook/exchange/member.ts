/** A file of a bundle. */
export interface Member {
  readonly name: string;
  readonly content: { readonly text: string } | { readonly file: string };
}
