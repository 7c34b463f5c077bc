import { isAbsolute, join } from 'node:path'
import type { Container } from '#api/core/v1/container.ts'
import type { ResolvedImage } from '../options.ts'
import { ContainerConfigError } from '../environment/configuration-source.ts'
import { expandVariables } from '../environment/expansion.ts'

/**
 * Program and arguments: the container's command or else the image's entry point, then the
 * container's arguments. @throws ContainerConfigError
 */
export function containerCommand(
  container: Container,
  image: ResolvedImage,
  environment: Readonly<Record<string, string>>,
): readonly string[] {
  const expand = (text: string): string => expandVariables(text, environment)
  const [program, ...words] = (container.command ?? []).map(expand)
  const command = program === undefined ? image.entrypoint : [...(programOf(image, program) ?? [program]), ...words]
  if (command.length === 0)
    throw new ContainerConfigError(`no command specified: neither the container nor image "${container.image ?? ''}" has one`)
  return [...command, ...(container.args ?? []).map(expand)]
}

/** A program of the image by its name. */
function programOf({ programs = {} }: ResolvedImage, name: string): readonly string[] | undefined {
  return Object.hasOwn(programs, name) ? programs[name] : undefined
}

/** The container's own working directory, relative to the image's root, or that root. */
export function workingDirectoryOf(container: Container, image: ResolvedImage): string {
  const own = container.workingDir ?? ''
  return isAbsolute(own) ? own : join(image.rootDirectory, own)
}
