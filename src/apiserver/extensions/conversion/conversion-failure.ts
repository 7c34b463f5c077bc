/**
 * A conversion webhook could not be asked, refused, or gave an answer that is none to the question.
 * The message goes on after `conversion webhook for …`.
 */
export class ConversionFailure extends Error {
  override readonly name = 'ConversionFailure'
}
