import { join } from 'node:path'

/** Paths inside one pod's directory. */
export interface PodDirectory {
  readonly path: string
  /** The pod as it was last seen, for when the API no longer has it. */
  readonly podFile: string
  readonly volumes: string
  readonly containers: string
  container(name: string): string
  volume(plugin: string, name: string): string
}

/** Layout of `<node data>/pods/<uid>`, which programs in the pod may rely on through POD_DIR. */
export function podDirectory(podsDirectory: string, uid: string): PodDirectory {
  const path = join(podsDirectory, uid)
  const volumes = join(path, 'volumes')
  const containers = join(path, 'containers')
  return {
    path,
    podFile: join(path, 'pod.json'),
    volumes,
    containers,
    container: (name) => join(containers, name),
    volume: (plugin, name) => join(volumes, plugin, name),
  }
}
