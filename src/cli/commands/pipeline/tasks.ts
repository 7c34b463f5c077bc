import { toYaml } from '#apimachinery/json/yaml.ts'
import type { CliContext } from '#cli/context.ts'
import { readAccess, readCatalogue, shippedTask, type ShippedTask } from '#cli/pipeline/catalogue.ts'
import { print, type OutputFormat } from '#cli/render/print.ts'
import { table } from '#cli/render/terminal.ts'

/** Lists the Tasks that are shipped with this release. */
export async function list(this: CliContext, flags: { readonly output: OutputFormat }): Promise<void> {
  const tasks = [...(await readCatalogue()).values()]
  print(this, flags.output, {
    kind: 'TaskList',
    document: { tasks: tasks.map(describe) },
    names: tasks.map(({ name }) => `task.tekton.dev/${name}`),
    text: () => table([['NAME', 'DESCRIPTION'], ...tasks.map(({ name, spec }) => [name, spec.description ?? ''])]),
  })
}

/** Shows the parameters, results and workspaces of a shipped Task; as YAML its manifest. */
export async function show(this: CliContext, flags: { readonly output: OutputFormat }, name: string): Promise<void> {
  const task = shippedTask(await readCatalogue(), name)
  if (flags.output === 'yaml') {
    this.process.stdout.write(toYaml(task.manifest))
    return
  }
  print(this, flags.output, {
    kind: 'Task',
    document: describe(task),
    names: [`task.tekton.dev/${name}`],
    text: () => textOf(task),
  })
}

/** Prints the ServiceAccounts of shipped Tasks with their rights, for kubectl. */
export async function access(this: CliContext, _flags: object, ...names: readonly string[]): Promise<void> {
  const catalogue = await readCatalogue()
  const wanted = names.length === 0 ? [...catalogue.keys()] : names.map((name) => shippedTask(catalogue, name).name)
  const objects = (await Promise.all(wanted.map(readAccess))).flat()
  this.process.stdout.write(objects.map((object) => toYaml(object)).join('---\n'))
}

function describe({ name, spec }: ShippedTask): object {
  const { description = '', params, results, workspaces } = spec
  return { name, description, params, results, workspaces }
}

function textOf({ name, spec }: ShippedTask): string {
  const { description = '', params, results, workspaces } = spec
  const defaultOf = (value: unknown): string => (value === undefined ? '(needed)' : JSON.stringify(value))
  const sections = [
    `${name}: ${description}\n`,
    params.length === 0
      ? ''
      : table([
          ['PARAMETER', 'TYPE', 'DEFAULT', 'DESCRIPTION'],
          ...params.map((param) => [param.name, param.type, defaultOf(param.default), param.description ?? '']),
        ]),
    results.length === 0 ? '' : table([['RESULT', 'DESCRIPTION'], ...results.map((result) => [result.name, result.description ?? ''])]),
    workspaces.length === 0
      ? ''
      : table([
          ['WORKSPACE', 'NEEDED', 'DESCRIPTION'],
          ...workspaces.map((one) => [one.name, one.isOptional ? 'no' : 'yes', one.description ?? '']),
        ]),
  ]
  return sections.filter((section) => section !== '').join('\n')
}
