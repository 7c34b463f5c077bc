/**
 * A conversion webhook could not be called, refused, or gave an invalid answer. The message follows
 * `conversion webhook for …`.
 */
export class ConversionFailure extends Error {
  override readonly name = 'ConversionFailure'
}
