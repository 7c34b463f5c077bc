import { formatProperties, parseCommandLine, parseProperties, propertyOf, toArguments, type CommandLineOption } from './command-line.ts'

/** Use of a host path in a command line, or of a tap device, and QEMU's id of the user. */
export interface PathUse {
  readonly kind: 'socket' | 'log' | 'disk' | 'firmware' | 'kernel' | 'device' | 'tap'
  readonly id: string
}

/** Returns the replacement of a path. */
export type Relocate = (path: string, use: PathUse) => string

/**
 * Replaces files and sockets of a guest: everything guest-visible stays verbatim. For a migration
 * target, whose files are in the folder of another pod.
 */
export function relocatePaths(args: readonly string[], relocate: Relocate): string[] {
  return toArguments(parseCommandLine(args).map((option) => relocated(option, relocate)))
}

function relocated({ name, value }: CommandLineOption, relocate: Relocate): CommandLineOption {
  if (value === undefined) return { name }
  switch (name) {
    case '-chardev':
      return { name, value: withPaths(value, 'id', { path: 'socket', logfile: 'log' }, relocate) }
    case '-drive':
      return { name, value: withPaths(value, 'unit', { file: 'firmware' }, relocate) }
    case '-object':
      return { name, value: withPaths(value, 'id', { filename: 'device', 'mem-path': 'device' }, relocate) }
    case '-netdev':
      return { name, value: withPaths(value, 'id', { ifname: 'tap' }, relocate) }
    case '-vnc':
      return { name, value: value.replace(/^unix:(.*)$/, (_, path: string) => `unix:${relocate(path, { kind: 'socket', id: 'vnc' })}`) }
    case '-kernel':
    case '-initrd':
      return { name, value: relocate(value, { kind: 'kernel', id: name.slice(1) }) }
    case '-blockdev':
      return { name, value: blockNode(value, relocate) }
    default:
      return { name, value }
  }
}

function withPaths(value: string, idName: string, kinds: Readonly<Record<string, PathUse['kind']>>, relocate: Relocate): string {
  const properties = parseProperties(value)
  const id = propertyOf(properties, idName) ?? ''
  return formatProperties(
    properties.map(([name, text]) => {
      const kind = kinds[name]
      return [name, kind === undefined ? text : relocate(text, { kind, id })]
    }),
  )
}

function blockNode(value: string, relocate: Relocate): string {
  const node = JSON.parse(value) as { readonly filename?: string; readonly 'node-name'?: string }
  if (node.filename === undefined) return value
  return JSON.stringify({ ...node, filename: relocate(node.filename, { kind: 'disk', id: node['node-name'] ?? '' }) })
}
