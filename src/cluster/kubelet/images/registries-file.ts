import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

/** How the registry of one host is reached. */
export interface RegistrySettings {
  /** PEM certificates of authorities, in addition to those that Node knows. */
  readonly authorities: readonly string[]
  /** Certificates are not checked, and a registry without TLS is asked, too. */
  readonly isInsecure: boolean
}

/** The file with settings of registries cannot be used. The message names the place in it. */
export class RegistriesInvalid extends Error {
  override readonly name = 'RegistriesInvalid'
}

/** One entry of the file. */
interface Entry {
  readonly host: string
  readonly authority: string | undefined
  readonly isInsecure: boolean
}

/**
 * Reads the settings of a registry from a file, at each pull, so that a change has effect at once.
 * Without a file, or an entry, there are none. @throws RegistriesInvalid
 */
export async function readRegistrySettings(file: string, host: string): Promise<RegistrySettings> {
  const text = await readIfThere(file)
  const entry = text === undefined ? undefined : (await parseRegistries(text, file)).find((each) => each.host === host)
  if (entry === undefined) return { authorities: [], isInsecure: false }
  const authorities = entry.authority === undefined ? [] : [await readAuthority(file, entry.authority)]
  return { authorities, isInsecure: entry.isInsecure }
}

/** @throws RegistriesInvalid */
export async function parseRegistries(text: string, file: string): Promise<readonly Entry[]> {
  const { parse } = await import('yaml')
  let value: unknown
  try {
    value = parse(text)
  } catch (cause) {
    throw new RegistriesInvalid(`Cannot read "${file}": it is no YAML (${(cause as Error).message.split('\n')[0]})`, { cause })
  }
  const invalid = (path: string, what: string): RegistriesInvalid => new RegistriesInvalid(`Cannot use "${file}": ${path} ${what}`)
  if (value === null || value === undefined) return []
  const list = isObject(value) ? value['registries'] : undefined
  if (!Array.isArray(list)) throw invalid('registries', 'must be a list of registries, each with its host')
  return list.map((each: unknown, index) => {
    const path = `registries[${index}]`
    if (!isObject(each)) throw invalid(path, 'must be an object with a host')
    const { host, authority, insecure = false, ...others } = each
    const [unknown] = Object.keys(others)
    if (unknown !== undefined) throw invalid(`${path}.${unknown}`, 'is not known: there are host, authority and insecure')
    if (typeof host !== 'string' || !/^[^/\s]+$/.test(host)) throw invalid(`${path}.host`, 'must be a host, with its port if it has one')
    if (authority !== undefined && (typeof authority !== 'string' || authority === ''))
      throw invalid(`${path}.authority`, 'must be the path of a file with certificates')
    if (typeof insecure !== 'boolean') throw invalid(`${path}.insecure`, 'must be true or false')
    return { host, authority, isInsecure: insecure }
  })
}

/** @throws RegistriesInvalid */
async function readAuthority(file: string, authority: string): Promise<string> {
  const path = resolve(dirname(file), authority)
  const text = await readIfThere(path)
  if (text?.includes('-----BEGIN CERTIFICATE-----') === true) return text
  const found = text === undefined ? 'does not exist' : 'has no certificate in PEM'
  throw new RegistriesInvalid(`Cannot use "${file}": the authority "${path}" ${found}`)
}

/** @throws RegistriesInvalid for a file that is there and cannot be read */
async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new RegistriesInvalid(`Cannot read "${path}": ${(cause as Error).message}`, { cause })
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
