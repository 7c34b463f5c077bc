import { createDownloads } from '../http/download.ts'
import { createHttpClient } from '../http/http-client.ts'
import { type Patience, usualPatience } from '../http/watched-body.ts'
import type { Secrets } from '../secrets.ts'
import { systemTime, type Time } from '../time.ts'
import { type ImageReference, parseImageReference } from './image-reference.ts'
import { createRegistryReader, type ImageReader } from './registry-reader.ts'

/** How a registry is read. */
export interface RegistryAccess {
  /** Undefined: anonymously. */
  readonly credentials: Secrets['credentials']
  /** PEM certificates of authorities, in addition to those that Node knows. */
  readonly authorities: readonly string[]
  /** Certificates are not checked, and a registry without TLS is asked, too. */
  readonly isInsecure: boolean
  /** Variables such as HTTPS_PROXY. */
  readonly proxies?: Readonly<Record<string, string | undefined>>
  /** Default: a minute of silence. */
  readonly patience?: Patience
  /** Default: the machine's. */
  readonly time?: Time
  /** Tries in a row that bring nothing, after which the registry is given up. Default: 5. */
  readonly tries?: number
}

/** The repository of an image, with the image that is meant. */
export interface OpenRegistry extends Disposable {
  readonly reader: ImageReader
  readonly reference: ImageReference
}

/**
 * Opens the repository of an image such as `quay.io/containerdisks/fedora:latest`.
 * @throws ImportFailure
 */
export function openRegistry(image: string, access: RegistryAccess): OpenRegistry {
  const { credentials, authorities, isInsecure, proxies = {}, patience = usualPatience, time = systemTime, tries = 5 } = access
  const reference = parseImageReference(image)
  const client = createHttpClient({ authorities, insecureSkipVerify: isInsecure, idleMs: patience.idleMs, proxies })
  const download = createDownloads({ client, time, patience, tries })
  const reader = createRegistryReader(reference, { client, download, credentials, isInsecure, patience, time })
  return { reader, reference, [Symbol.dispose]: () => client[Symbol.dispose]() }
}
