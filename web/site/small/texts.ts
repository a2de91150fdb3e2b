/** What the small model of the page learns: Tang quatrains and nursery rhymes, which belong to everyone. */
import type { Language } from '../.vitepress/chapters.js';

const quatrains = [
  '床前明月光，疑是地上霜。举头望明月，低头思故乡。',
  '白日依山尽，黄河入海流。欲穷千里目，更上一层楼。',
  '春眠不觉晓，处处闻啼鸟。夜来风雨声，花落知多少。',
  '红豆生南国，春来发几枝。愿君多采撷，此物最相思。',
  '千山鸟飞绝，万径人踪灭。孤舟蓑笠翁，独钓寒江雪。',
  '空山不见人，但闻人语响。返景入深林，复照青苔上。',
  '移舟泊烟渚，日暮客愁新。野旷天低树，江清月近人。',
  '松下问童子，言师采药去。只在此山中，云深不知处。',
  '君自故乡来，应知故乡事。来日绮窗前，寒梅著花未。',
  '众鸟高飞尽，孤云独去闲。相看两不厌，只有敬亭山。',
  '独坐幽篁里，弹琴复长啸。深林人不知，明月来相照。',
  '人闲桂花落，夜静春山空。月出惊山鸟，时鸣春涧中。',
  '朝辞白帝彩云间，千里江陵一日还。两岸猿声啼不住，轻舟已过万重山。',
  '月落乌啼霜满天，江枫渔火对愁眠。姑苏城外寒山寺，夜半钟声到客船。',
  '故人西辞黄鹤楼，烟花三月下扬州。孤帆远影碧空尽，唯见长江天际流。',
  '两个黄鹂鸣翠柳，一行白鹭上青天。窗含西岭千秋雪，门泊东吴万里船。',
  '渭城朝雨浥轻尘，客舍青青柳色新。劝君更尽一杯酒，西出阳关无故人。',
  '远上寒山石径斜，白云生处有人家。停车坐爱枫林晚，霜叶红于二月花。',
  '独在异乡为异客，每逢佳节倍思亲。遥知兄弟登高处，遍插茱萸少一人。',
  '秦时明月汉时关，万里长征人未还。但使龙城飞将在，不教胡马度阴山。',
  '葡萄美酒夜光杯，欲饮琵琶马上催。醉卧沙场君莫笑，古来征战几人回。',
  '黄河远上白云间，一片孤城万仞山。羌笛何须怨杨柳，春风不度玉门关。',
  '日照香炉生紫烟，遥看瀑布挂前川。飞流直下三千尺，疑是银河落九天。',
  '碧玉妆成一树高，万条垂下绿丝绦。不知细叶谁裁出，二月春风似剪刀。',
];

const rhymes = [
  'Twinkle, twinkle, little star, how I wonder what you are. Up above the world so high, like a diamond in the sky.',
  'Mary had a little lamb, its fleece was white as snow, and everywhere that Mary went the lamb was sure to go.',
  'Humpty Dumpty sat on a wall, Humpty Dumpty had a great fall. All the king’s horses and all the king’s men could not put Humpty together again.',
  'Jack and Jill went up the hill to fetch a pail of water. Jack fell down and broke his crown, and Jill came tumbling after.',
  'Hey diddle diddle, the cat and the fiddle, the cow jumped over the moon. The little dog laughed to see such sport, and the dish ran away with the spoon.',
  'Baa, baa, black sheep, have you any wool? Yes sir, yes sir, three bags full. One for the master, one for the dame, and one for the little boy who lives down the lane.',
  'Little Bo Peep has lost her sheep and does not know where to find them. Leave them alone, and they will come home, wagging their tails behind them.',
  'Little Miss Muffet sat on a tuffet, eating her curds and whey. There came a big spider, who sat down beside her and frightened Miss Muffet away.',
  'Hickory dickory dock, the mouse ran up the clock. The clock struck one, the mouse ran down, hickory dickory dock.',
  'Row, row, row your boat, gently down the stream. Merrily, merrily, merrily, merrily, life is but a dream.',
  'One, two, buckle my shoe. Three, four, knock at the door. Five, six, pick up sticks. Seven, eight, lay them straight. Nine, ten, a big fat hen.',
];

/** The text of a language; what comes last is not learned but foreseen. */
export const lessons: Readonly<Record<Language, string>> = {
  zh: quatrains.join('\n'),
  en: rhymes.join('\n'),
};

/** What the reader finds typed. */
export const prompts: Readonly<Record<Language, string>> = {
  zh: '床前明月光，',
  en: 'Twinkle, twinkle, little ',
};
