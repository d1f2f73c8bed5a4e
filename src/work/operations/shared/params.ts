import { boolean, description, maxLength, metadata, optional, pipe, string } from 'valibot';

export const ProfileParam = optional(
  pipe(
    string(),
    maxLength(50, 'must have at most 50 characters'),
    description('Profile of the agents (default: work.profile)'),
    metadata({ value: 'NAME' }),
  ),
);

export const RetryParam = optional(pipe(boolean(), description('Also tasks that were given up (label needs-attention)')));
