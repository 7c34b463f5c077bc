import { toYaml } from '#apimachinery/json/yaml.ts'
import type { CliContext } from '../context.ts'

/** Value of `-o`. */
export type OutputFormat = 'text' | 'json' | 'yaml' | 'name' | 'wide'

/** Result of a command in every output format. */
export interface Printable {
  /** Kind of the JSON or YAML document. */
  readonly kind: string
  readonly document: object
  /** Objects as `resource.group/name`. */
  readonly names: readonly string[]
  readonly text: (isWide: boolean) => string
}

/** Version of the printed documents. Fields are only added. */
export const documentVersion = 'cli.steadyvm.io/v1'

/** Prints a result in the requested format. */
export function print(context: CliContext, format: OutputFormat, { kind, document, names, text }: Printable): void {
  const { stdout } = context.process
  const whole = { apiVersion: documentVersion, kind, ...document }
  switch (format) {
    case 'json':
      stdout.write(`${JSON.stringify(whole, null, 2)}\n`)
      return
    case 'yaml':
      stdout.write(toYaml(whole))
      return
    case 'name':
      stdout.write(names.map((name) => `${name}\n`).join(''))
      return
    case 'text':
    case 'wide':
      stdout.write(text(format === 'wide'))
  }
}

/** Formats a VM's name as `kubectl get -o name` does. */
export function vmResourceName(name: string): string {
  return `virtualmachine.kubevirt.io/${name}`
}
