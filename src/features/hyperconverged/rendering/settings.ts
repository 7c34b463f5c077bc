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
