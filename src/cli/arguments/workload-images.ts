import { workloadImageVariables } from '#features/hyperconverged/index.ts'
import { CommandError } from '../context.ts'

/** A reference of an image: registry, path, tag and digest, without blanks. */
const IMAGE = /^[A-Za-z0-9][A-Za-z0-9._:/@-]*$/

/** Reads `NAME=IMAGE` arguments: images of workloads by their names. @throws CommandError. Pure. */
export function workloadImagesOf(values: readonly string[]): Readonly<Record<string, string>> {
  const images = new Map<string, string>()
  for (const value of values) {
    const [name = '', ...rest] = value.split('=')
    const image = rest.join('=')
    if (!workloadImageVariables.has(name))
      throw new CommandError(`--workload-image "${value}": the workload must be one of ${[...workloadImageVariables.keys()].join(', ')}`)
    if (!IMAGE.test(image))
      throw new CommandError(`--workload-image "${value}": expected ${name}=IMAGE, such as ${name}=registry.example.com/${name}:v1`)
    if (images.has(name)) throw new CommandError(`--workload-image names ${name} twice`)
    images.set(name, image)
  }
  return Object.fromEntries(images)
}
