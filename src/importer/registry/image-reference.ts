import { ImportFailure } from '../failure.ts'

/** A parsed `quay.io/containerdisks/fedora:latest`. */
export interface ImageReference {
  /** Host and port of the registry's API. */
  readonly host: string
  readonly repository: string
  /** Tag, or digest if there is one: a digest says exactly which image is meant. */
  readonly version: string
  readonly isDigest: boolean
}

const hubName = 'docker.io'
/** The API of Docker Hub has another host than its images. */
const hubHost = 'registry-1.docker.io'

/**
 * Parses the name of an image as container runtimes do: without a host it is one of Docker Hub, and
 * without a path one of its library. `docker://` may stand before it. @throws ImportFailure
 */
export function parseImageReference(text: string): ImageReference {
  const name = text.replace(/^docker:\/\//, '')
  const [, path = '', tag, digest] =
    /^([^@]+?)(?::([A-Za-z0-9_][\w.-]{0,127}))?(?:@(sha256:[a-f0-9]{64}|sha512:[a-f0-9]{128}))?$/.exec(name) ?? []
  const [first = '', ...rest] = path.split('/')
  const hasHost = rest.length > 0 && (first.includes('.') || first.includes(':') || first === 'localhost')
  const given = hasHost ? first : hubName
  const segments = hasHost ? rest : [first, ...rest]
  const isHub = given === hubName || given === 'index.docker.io'
  const repository = isHub && segments.length === 1 ? `library/${segments[0] ?? ''}` : segments.join('/')
  const isHost = /^(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9a-fA-F:]+\])(?::\d{1,5})?$/.test(given)
  const isRepository = repository.split('/').every((part) => /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*$/.test(part))
  if (!isHost || !isRepository)
    throw new ImportFailure('TaskInvalid', 'The address of the image is not of the form docker://registry/name:tag, or …@sha256:…')
  return { host: isHub ? hubHost : given, repository, version: digest ?? tag ?? 'latest', isDigest: digest !== undefined }
}
