import type { RenderingInputs } from '#api/hco/v1/status.ts'
import { plainCluster } from './cluster-facts.ts'
import type { RenderingInput } from './rendering.ts'

/** Settings of the operator by the names of its environment variables. */
export type Settings = Readonly<Record<string, string | undefined>>

/**
 * Reads the settings from the environment. `SMBIOS` is YAML there, as upstream's operator reads it,
 * and JSON in the result: renderers are synchronous, and the parser of YAML is loaded only when it
 * is needed. A text that is no YAML stays, and is not rendered.
 */
export async function readSettings(environment: Settings): Promise<Settings> {
  const text = environment['SMBIOS']?.trim() ?? ''
  if (text === '' || text.startsWith('{')) return environment
  const { parse, YAMLParseError } = await import('yaml')
  try {
    return { ...environment, SMBIOS: JSON.stringify(parse(text)) }
  } catch (error) {
    if (!(error instanceof YAMLParseError)) throw error
    return environment
  }
}

/** Variables from which components are rendered. */
const renderedVariables = [
  'MACHINETYPE',
  'AMD64_MACHINETYPE',
  'ARM64_MACHINETYPE',
  'S390X_MACHINETYPE',
  'SMBIOS',
  'KVM_EMULATION',
  'BASE_DOMAIN',
] as const

/**
 * Returns the facts beside the spec from which components are rendered, for the status: `why` and
 * `plan` run elsewhere, and cannot ask the environment of the operator. Pure.
 */
export function reportedInputs({ environment, cluster = plainCluster }: Pick<RenderingInput, 'environment' | 'cluster'>): RenderingInputs {
  const used = renderedVariables.flatMap((name) => {
    const value = environment[name]
    return value === undefined || value === '' ? [] : [{ name, value }]
  })
  const { isOpenShift, tlsSecurityProfile } = cluster
  return {
    ...(used.length === 0 ? {} : { environment: used }),
    ...(isOpenShift ? { openShift: true } : {}),
    ...(tlsSecurityProfile === undefined ? {} : { tlsSecurityProfile }),
  }
}

/** Returns what {@link reportedInputs} has written to a status. Pure. */
export function inputsFrom(inputs: RenderingInputs): Pick<RenderingInput, 'environment' | 'cluster'> {
  const { environment = [], openShift = false, tlsSecurityProfile } = inputs
  return {
    environment: Object.fromEntries(environment.map(({ name, value }) => [name, value])),
    cluster: { isOpenShift: openShift, ...(tlsSecurityProfile === undefined ? {} : { tlsSecurityProfile }) },
  }
}
