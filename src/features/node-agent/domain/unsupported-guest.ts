/** The node cannot run the guest as specified. A retry without a change cannot help. */
export class UnsupportedGuest extends Error {
  override readonly name = 'UnsupportedGuest'
}
