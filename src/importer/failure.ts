/** Why a volume was not filled, as the reason of a condition. */
export type FailureReason =
  | 'ArchitectureMissing'
  | 'BackingFileRefused'
  | 'CertificateNotTrusted'
  | 'ChecksumMismatch'
  | 'DigestMismatch'
  | 'EncryptedImageRefused'
  | 'ExternalDataRefused'
  | 'FormatUnsupported'
  | 'ImageInvalid'
  | 'NoDiskInImage'
  | 'NoSpace'
  | 'ProgramFailed'
  | 'RedirectRefused'
  | 'SourceChanged'
  | 'SourceInterrupted'
  | 'SourceNotFound'
  | 'SourceRefused'
  | 'SourceStalled'
  | 'SourceUnreachable'
  | 'SourceUnversioned'
  | 'TargetNotEmpty'
  | 'TargetUnusable'
  | 'TaskInvalid'
  | 'UnsafeArchive'
  | 'VolumeTooSmall'

/** Failures after which the same task fails again, whatever happens outside of it. */
const lasting: ReadonlySet<FailureReason> = new Set([
  'ArchitectureMissing',
  'BackingFileRefused',
  'ChecksumMismatch',
  'EncryptedImageRefused',
  'ExternalDataRefused',
  'FormatUnsupported',
  'ImageInvalid',
  'NoDiskInImage',
  'RedirectRefused',
  'TargetNotEmpty',
  'TaskInvalid',
  'UnsafeArchive',
  'VolumeTooSmall',
])

/** A volume cannot be filled. The message says what failed, what was found, and what to do. */
export class ImportFailure extends Error {
  override readonly name = 'ImportFailure'
  readonly reason: FailureReason
  /** Trying again cannot help. */
  readonly fatal: boolean

  constructor(reason: FailureReason, message: string, { fatal = lasting.has(reason), cause }: { fatal?: boolean; cause?: unknown } = {}) {
    super(message, cause === undefined ? {} : { cause })
    this.reason = reason
    this.fatal = fatal
  }
}

/** Turns errors of the file system into failures; others are returned as they are. */
export function fileFailure(error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new ImportFailure('NoSpace', `The volume is full (${message}): use a larger one, or one with less on it`, { cause: error })
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS' || code === 'EIO')
    return new ImportFailure('TargetUnusable', `The volume cannot be written (${message}): check its permissions and its storage`, {
      cause: error,
    })
  return error
}
