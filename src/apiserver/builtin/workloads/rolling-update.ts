/** Update strategy of a workload. */
interface RolloutSettings {
  readonly type?: string
  readonly rollingUpdate?: object
}

/** Defaults the type to RollingUpdate, and its parameters for that type only. */
export function withRollingDefaults<S extends RolloutSettings>(settings: S | undefined, rollingUpdate: NonNullable<S['rollingUpdate']>): S {
  const { type = 'RollingUpdate' }: RolloutSettings = settings ?? {}
  if (settings !== undefined && type !== 'RollingUpdate') return settings
  return { ...settings, type, rollingUpdate: { ...rollingUpdate, ...settings?.rollingUpdate } } as S
}
