// The course of an environment as it is now. Whoever watches is told of each step of a job; lines that come together are told
// together.
import { after, type Course, type CourseEvent } from './course.ts';
import type { EnvironmentWatcher } from './notebookEnvironment.ts';

export interface ToldCourse {
  now(): Course;
  /** False when it changed nothing. */
  happened(event: CourseEvent): boolean;
  /** The job that runs is in another phase. */
  enter(phase: string): void;
  /** The job that runs has written a line. */
  hear(stream: 'stdout' | 'stderr', line: string): void;
  tell(event: 'started' | 'progress' | 'finished', more?: object): void;
}

const togetherMilliseconds = 50;

export function followCourse(opened: Course, watchers: ReadonlySet<EnvironmentWatcher>): ToldCourse {
  let course = opened;
  let due: NodeJS.Timeout | undefined;

  function happened(event: CourseEvent): boolean {
    const before = course;
    course = after(course, event);
    return course !== before;
  }

  function tell(event: 'started' | 'progress' | 'finished', more = {}): void {
    clearTimeout(due);
    due = undefined;
    if (course.job) for (const watcher of watchers) watcher.told(event, course.job, more);
  }

  return {
    now: () => course,
    happened,
    tell,
    enter(phase) {
      if (happened({ type: 'entered', phase })) tell('progress');
    },
    hear(stream, line) {
      if (happened({ type: 'heard', stream, line })) due ??= setTimeout(() => tell('progress'), togetherMilliseconds);
    },
  };
}
