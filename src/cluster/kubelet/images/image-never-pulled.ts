/** The image is not here, and its pod forbids to pull it. */
export class ImageNeverPulled extends Error {
  override readonly name = 'ImageNeverPulled'
}
