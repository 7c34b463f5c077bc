/**
 * The guest asks for something that this node cannot give, or that is not supported yet. Trying
 * again without a change cannot help.
 */
export class UnsupportedGuest extends Error {
  override readonly name = 'UnsupportedGuest'
}
