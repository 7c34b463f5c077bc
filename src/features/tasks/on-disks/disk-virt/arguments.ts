/** How a tool of libguestfs is run. */
export interface ToolRun {
  readonly disk: string
  /** File with commands, one a line. */
  readonly commandsFile: string
  readonly options: readonly string[]
  readonly isVerbose: boolean
}

/**
 * Builds the arguments of virt-customize or virt-sysprep. The disk is raw: were its format guessed,
 * a guest could write a header that names other files of this machine. Pure.
 */
export function toolArguments({ disk, commandsFile, options, isVerbose }: ToolRun): readonly string[] {
  const has = (...names: readonly string[]): boolean => options.some((option) => names.includes(option))
  return [
    '--format',
    'raw',
    '--add',
    disk,
    '--commands-from-file',
    commandsFile,
    ...options,
    ...(isVerbose && !has('-v', '--verbose') ? ['--verbose'] : []),
    ...(isVerbose && !has('-x') ? ['-x'] : []),
  ]
}
